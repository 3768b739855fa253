import { Command, Option } from 'commander';
import type { ExportOptions } from '../trust/export-trust.js';

const HELP = `
The file names the gateways, the bridges and their participants that CONFIG_FILE trusts on each channel. It holds no secret, but who replaces
it decides whom its reader trusts: hand it over in a way that shows where it comes from.
Environment variables of the DIDs must be set, those under alerts need not be; while npm start runs, the command finds them in .data. With --history
it also names the keys, participants and channels that were trusted before, with their times, so that evidence of earlier events can be verified.
Messages are never verified with these. It reads them from the archive API, with access to all participants.

Examples:
  busbridge trust export --out trust.json
  busbridge trust export --history --out trust.json
  busbridge trust export --signature-scheme keccak256     # as SIGNATURE_SCHEME of the subscriber
`;

/** `busbridge trust export`. */
export function trustCommand(): Command {
  const command = new Command('trust').description('The trusted senders of the configuration.');
  command
    .command('export')
    .description('prints the file with which downstream systems verify messages and events')
    .option('--out <file>', 'write to this file (default: standard output)')
    .option('--force', 'replace the file of --out')
    .option('--file <path>', 'the file (default: CONFIG_FILE, otherwise config/bridge.yaml)')
    .addOption(
      new Option(
        '--signature-scheme <scheme>',
        'how the gateways sign (default: SIGNATURE_SCHEME, otherwise eip191)',
      ).choices(['eip191', 'keccak256']),
    )
    .option(
      '--history',
      'add the keys, participants and channels that were trusted before, from the archive API',
    )
    .option('--profile <name>', 'the bridge for --history: a profile of profiles.yaml')
    .addHelpText('after', HELP)
    .action(async (options: ExportOptions) =>
      (await import('../trust/export-trust.js')).exportTrust(options),
    );
  return command;
}
