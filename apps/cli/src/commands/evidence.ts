import { Command } from 'commander';
import type { ExportOptions } from '../evidence/export-evidence.js';

const HELP = `
The file has the event, the message of the bus as it was received, both signatures with DIDs and public keys, the senders that were trusted then, marks,
problems, deliveries and attempts. docs/evidence.md says what it proves. It has the data of the event and, for an operator, the responses of receivers:
give it only to whom may read them. The id may be shortened to its first 6 characters or more.

Examples:
  busbridge evidence export 3f2a9c --out evidence.json
  busbridge verify evidence.json --trust trust.json
`;

/** `busbridge evidence export`. */
export function evidenceCommand(): Command {
  const command = new Command('evidence').description('Writes evidence that others can verify.');
  command
    .command('export <event-id>')
    .description('writes what proves an archived event, for someone without access to the bridge')
    .option('--profile <name>', 'the bridge: a profile of profiles.yaml')
    .option('--out <file>', 'write to this file (default: standard output)')
    .option('--force', 'replace the file of --out')
    .addHelpText('after', HELP)
    .action(async (event: string, options: ExportOptions) =>
      (await import('../evidence/export-evidence.js')).exportEvidence(event, options),
    );
  return command;
}
