import { isSameIdentity } from '@ssb/identity';
import { standardError } from '@ssb/platform/cli';
import type { Evidence } from 'settlement-bus-downstream';
import { withApi } from '../commands/api-command.js';
import { writeOutput, type OutputFile } from '../output-file.js';

export interface ExportOptions extends OutputFile {
  readonly profile?: string;
}

export function exportEvidence(event: string, { out, force, ...options }: ExportOptions): Promise<void> {
  return withApi({ ...options, output: 'json' }, async (api) => {
    const text = await api.getText('/v1/events/{id}/evidence', { id: event });
    const evidence = JSON.parse(text) as Evidence;
    writeOutput(text, { out, force });
    if (!hasTrustedSigners(evidence))
      standardError.writeLine(
        'The history of trusted keys does not name the signers at that time: the event is older than the history.',
      );
    if ('unsigned' in evidence)
      standardError.writeLine('The subscriber wrote this fault itself. Nobody signed it.');
    if (out !== undefined)
      standardError.writeLine(`${out} has the evidence of the event ${evidence.eventId}.`);
  });
}

/** Whether the history of keys has the signers of the evidence. */
function hasTrustedSigners(evidence: Evidence): boolean {
  if ('unsigned' in evidence) return true;
  const { trusted, gateway, origin } = evidence;
  const has = (entries: readonly { readonly did: string }[], did: string): boolean =>
    entries.some((entry) => isSameIdentity(entry.did, did));
  return has(trusted.gateways, gateway.did) && has(trusted.origins, origin.did);
}
