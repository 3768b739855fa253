import { SIGNATURE_SCHEMES, type SignatureScheme } from '@ssb/identity';
import { readSettings, standardError } from '@ssb/platform';
import { Command, Option } from 'commander';
import { explainFailures } from '../fail.js';
import { readSendersConfig } from '../operator-config.js';
import { writeOutput } from '../output-file.js';
import { commandEnvironment, trustSettings } from '../settings.js';
import type { TrustFile } from 'settlement-bus-downstream';
import { withSubscriberDatabase } from '../requests/subscriber-database.js';
import { readKeyHistory, withHistory, withRevocations } from '../trust/key-history.js';
import { createTrustFile } from '../trust/trust-file.js';

interface ExportOptions {
  readonly out?: string;
  readonly file?: string;
  readonly signatureScheme?: SignatureScheme;
  readonly history?: true;
}

const HELP = `
The file names the gateways, the bridges and their participants that CONFIG_FILE trusts on each channel. It holds no secret, but who replaces
it decides whom its reader trusts: hand it over in a way that shows where it comes from.
Environment variables of the DIDs must be set, those under alerts need not be; while npm start runs, the command finds them in .data. With --history
it also names the keys, participants and channels that were trusted before, with their times, so that evidence of earlier events can be verified.
Messages are never verified with these. It reads DATABASE_URL, with the role requests, or that of npm start.

Examples:
  busbridge trust export --out trust.json
  busbridge trust export --history --out trust.json
  busbridge trust export --signature-scheme keccak256     # as SIGNATURE_SCHEME of the subscriber
`;

/** `busbridge trust export`. */
export function trustCommand(): Command {
  const command = new Command('trust').description('Works with the trusted senders of the configuration.');
  command
    .command('export')
    .description('Prints the file with which downstream systems verify messages and events.')
    .option('--out <file>', 'write to this file (default: standard output)')
    .option('--file <path>', 'the file (default: CONFIG_FILE, otherwise config/bridge.yaml)')
    .addOption(
      new Option(
        '--signature-scheme <scheme>',
        'how the gateways sign (default: SIGNATURE_SCHEME, otherwise eip191)',
      ).choices(SIGNATURE_SCHEMES),
    )
    .option(
      '--history',
      'add the keys, participants and channels that were trusted before, from the database of the subscriber',
    )
    .addHelpText('after', HELP)
    .action((options: ExportOptions) => explainFailures(() => exportTrust(options)));
  return command;
}

async function exportTrust({ out, file, signatureScheme, history }: ExportOptions): Promise<void> {
  const { SIGNATURE_SCHEME } = readSettings(trustSettings, commandEnvironment());
  const config = readSendersConfig(file);
  const trust = createTrustFile(config, signatureScheme ?? SIGNATURE_SCHEME);
  if (history === undefined) return write(trust, out);
  await withSubscriberDatabase('requests', async (database) => {
    const intervals = withRevocations(await readKeyHistory(database), config.revoked);
    write(withHistory(trust, intervals, new Date()), out);
  });
}

function write(trust: TrustFile, out: string | undefined): void {
  const isWritten = writeOutput(`${JSON.stringify(trust, null, 2)}\n`, out);
  if (isWritten && out !== undefined)
    standardError.writeLine(
      `${out} has the trusted senders of ${Object.keys(trust.channels).length} channels.`,
    );
}
