import { Command } from 'commander';
import type { OutputFile } from '../output-file.js';
import { addOutput, LISTING_FORMS, type OutputOptions } from '../options.js';

const load = () => import('../records/records.js');

const HELP = `
Settings: those of Redis, and QUEUE_PREFIX. In the clone of a running npm start the command finds them itself.

Examples:
  busbridge records list
  busbridge records list -o csv
  busbridge records get 0f3c… --out record.json      # the sha256 of a summarised event
`;

/** `busbridge records`. */
export function recordsCommand(): Command {
  const command = new Command('records')
    .description('Reads the full records of summarised statements.')
    .addHelpText('after', HELP);
  addOutput(command.command('list'), LISTING_FORMS)
    .description('the stored records, newest first')
    .addHelpText('after', HELP)
    .action(async (options: OutputOptions) => (await load()).listRecords(options));
  command
    .command('get')
    .description('prints a record as RFC 8785 JSON, after a check of its hash')
    .argument('<sha256>', 'the sha256 of the event, 64 hexadecimal digits')
    .option('--out <file>', 'write the record to a file')
    .option('--force', 'replace the file of --out')
    .addHelpText('after', HELP)
    .action(async (sha256: string, file: OutputFile) => (await load()).getRecord(sha256, file));
  return command;
}
