import { SIGNATURE_SCHEMES, type SignatureScheme } from '@ssb/identity';
import { readSettings, standardError } from '@ssb/platform';
import { Command, Option } from 'commander';
import { writeEvidence } from 'settlement-bus-downstream/checks';
import { hasTrustedSigners, readEvidence } from '../evidence/read-evidence.js';
import { explainFailures } from '../fail.js';
import { writeOutput } from '../output-file.js';
import { findEventId } from '../requests/find-event.js';
import { withSubscriberDatabase } from '../requests/subscriber-database.js';
import { commandEnvironment, trustSettings } from '../settings.js';

interface ExportOptions {
  readonly out?: string;
  readonly signatureScheme?: SignatureScheme;
}

const HELP = `
The file has the event, the message of the bus as it was received, both signatures with DIDs and public keys, the senders that were trusted then, marks,
problems, deliveries and attempts. docs/evidence.md says what it proves. It has the data of the event and the responses of receivers: give it only to
whom may read them. DATABASE_URL names the subscriber's database, with its run role. While npm start runs, the command finds it in .data.

Examples:
  busbridge evidence export 3f2a9c --out evidence.json
  busbridge verify evidence.json --trust trust.json
`;

/** `busbridge evidence export`. */
export function evidenceCommand(): Command {
  const command = new Command('evidence').description('Writes evidence that others can verify.');
  command
    .command('export')
    .description('Writes what proves an archived event, for someone without access to the bridge.')
    .argument('<event>', 'id of the event, at least 6 characters')
    .option('--out <file>', 'write to this file (default: standard output)')
    .addOption(
      new Option(
        '--signature-scheme <scheme>',
        'how the gateway signed (default: SIGNATURE_SCHEME, otherwise eip191)',
      ).choices(SIGNATURE_SCHEMES),
    )
    .addHelpText('after', HELP)
    .action((event: string, options: ExportOptions) => explainFailures(() => exportEvidence(event, options)));
  return command;
}

async function exportEvidence(event: string, { out, signatureScheme }: ExportOptions): Promise<void> {
  const { SIGNATURE_SCHEME } = readSettings(trustSettings, commandEnvironment());
  await withSubscriberDatabase('subscriber', async (database) => {
    const id = await findEventId(database, event);
    const evidence = await readEvidence(database, id, signatureScheme ?? SIGNATURE_SCHEME, new Date());
    if (!writeOutput(writeEvidence(evidence), out)) return;
    if (!hasTrustedSigners(evidence))
      standardError.writeLine(
        'The history of trusted keys does not name the signers at that time: the event is older than the history.',
      );
    if ('unsigned' in evidence)
      standardError.writeLine('The subscriber wrote this fault itself. Nobody signed it.');
    if (out !== undefined) standardError.writeLine(`${out} has the evidence of the event ${id}.`);
  });
}
