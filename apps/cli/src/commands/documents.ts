import { Command } from 'commander';
import { CHOICES } from '../api/operations.js';
import type { DocumentsOptions, GetOptions } from '../documents/documents.js';
import { choicesOption, collectNames, parseName, parseTime } from '../options.js';
import { listCommand } from './api-command.js';

const { market: MARKETS } = CHOICES['/v1/documents'];

const GET_HELP = `
The bytes are compared with their SHA-256 before anything is written. The id may be shortened to its first 6
characters or more. The operator's number of the invoice will do when the invoice has one document; otherwise they are listed.

Examples:
  busbridge documents get 3f2a9c --out invoice.pdf
  busbridge documents get INV-0007 --out invoice.pdf
  busbridge documents get 3f2a9c | lp
`;

/** `busbridge documents`. */
export function documentsCommand(): Command {
  const command = new Command('documents').description('The PDFs of invoices, as the operator sent them.');
  listCommand(command, 'list', {
    description: 'stored documents, the newest first',
    details: 'Each version of an invoice has a document of its own. The id is that of its event.',
    examples: ['documents list --since 7d', 'documents list --invoice INV-0007 --json'],
  })
    .option('--participant <code>', 'only of this participant; may be repeated', collectNames)
    .addOption(choicesOption('--market <market>', 'only of this market', MARKETS))
    .option('--invoice <id>', "only of this invoice, by the operator's identifier", parseName)
    .option('--since <time>', 'stored at this time or later: 7d, a day, or a time', parseTime)
    .option('--until <time>', 'stored before this time: as --since', parseTime)
    .action(async (options: DocumentsOptions) =>
      (await import('../documents/documents.js')).listDocuments(options),
    );
  command
    .command('get <id-or-invoice>')
    .description('writes a document to a file, or to a pipe')
    .option('--profile <name>', 'the bridge: a profile of profiles.yaml')
    .option('--out <file>', 'write to this file (default: standard output, which must not be a terminal)')
    .option('--force', 'replace the file of --out')
    .addHelpText('after', GET_HELP)
    .action(async (id: string, options: GetOptions) =>
      (await import('../documents/documents.js')).getDocument(id, options),
    );
  return command;
}
