import type { SignatureScheme } from '@ssb/identity';
import { readSettings } from '@ssb/platform';
import { standardError } from '@ssb/platform/cli';
import type { TrustFile } from 'settlement-bus-downstream';
import { withApi } from '../commands/api-command.js';
import { CommandError } from '../exit.js';
import { readSendersConfig } from '../operator-config.js';
import { readRows } from '../output/listing.js';
import { writeOutput, type OutputFile } from '../output-file.js';
import { commandEnvironment, trustSettings } from '../settings.js';
import { withHistory, withRevocations } from './key-history.js';
import { createTrustFile } from './trust-file.js';

export interface ExportOptions extends OutputFile {
  readonly file?: string;
  readonly signatureScheme?: SignatureScheme;
  readonly history?: true;
  readonly profile?: string;
}

/** Intervals of all channels. */
const MAX_INTERVALS = 10_000;

export async function exportTrust(options: ExportOptions): Promise<void> {
  const { out, force, file, signatureScheme, history, ...access } = options;
  const { SIGNATURE_SCHEME } = readSettings(trustSettings, commandEnvironment());
  const config = readSendersConfig(file);
  const trust = createTrustFile(config, signatureScheme ?? SIGNATURE_SCHEME);
  if (history === undefined) return write(trust, { out, force });
  await withApi({ ...access, output: 'json' }, async (api) => {
    const range = { limit: MAX_INTERVALS, cursor: undefined };
    const { items, next } = await readRows(api, '/v1/trusted-keys', {}, range);
    if (next !== undefined)
      throw new CommandError(`The history has more than ${MAX_INTERVALS} intervals, which is the limit.`);
    write(withHistory(trust, withRevocations(items, config.revoked), new Date()), { out, force });
  });
}

function write(trust: TrustFile, file: OutputFile): void {
  writeOutput(`${JSON.stringify(trust, null, 2)}\n`, file);
  if (file.out !== undefined)
    standardError.writeLine(
      `${file.out} has the trusted senders of ${Object.keys(trust.channels).length} channels.`,
    );
}
