import { createHash } from 'node:crypto';
import { standardError, standardOutput, type Column } from '@ssb/platform/cli';
import type { ApiClient, QueryOf } from '../api/api-client.js';
import type { DocumentRow } from '../api/operations.js';
import { withApi, type ListOptions } from '../commands/api-command.js';
import { CommandError, EXIT } from '../exit.js';
import { TIMES_NOTE } from '../market/amounts.js';
import { printListing, readRows } from '../output/listing.js';
import { shortId, showTime } from '../output/text.js';
import { writeOutput, type OutputFile } from '../output-file.js';

export interface DocumentsOptions extends ListOptions, Omit<QueryOf<'/v1/documents'>, 'limit' | 'cursor'> {}

export interface GetOptions extends OutputFile {
  readonly profile?: string;
}

export function listDocuments(options: DocumentsOptions): Promise<void> {
  const { participant, market, invoice, since, until } = options;
  if (since !== undefined && until !== undefined && since >= until)
    throw new CommandError(
      `--since (${showTime(since)}) must be before --until (${showTime(until)}), which is not in the listing.`,
      EXIT.usage,
    );
  const query = { participant, market, invoice, since, until };
  return withApi(options, (api) =>
    printListing(
      api,
      '/v1/documents',
      { query, columns: DOCUMENTS, empty: 'No documents match.', summarise: () => [TIMES_NOTE] },
      options,
    ),
  );
}

/** Writes nothing unless all bytes are those that were stored. */
export async function getDocument(text: string, { out, force, ...options }: GetOptions): Promise<void> {
  if (out === undefined && standardOutput.isTerminal)
    throw new CommandError(
      'A document is not text for a terminal. Give a file with --out, or another program: busbridge documents get <id> | lp',
      EXIT.usage,
    );
  await withApi({ ...options, output: 'json' }, async (api) => {
    const id = (await findByInvoice(api, text)) ?? text;
    const document = await api.get('/v1/documents/{id}', { parts: { id } });
    const content = await api.getBytes('/v1/documents/{id}/content', { id: document.id }, document);
    if (createHash('sha256').update(content).digest('hex') !== document.sha256)
      throw new CommandError(
        `The document ${document.id} arrived with other bytes than were stored. Nothing was written. Try again, and look at the log of the API.`,
      );
    writeOutput(content, { out, force });
    if (out !== undefined)
      standardError.writeLine(
        `${out} has the document of invoice ${document.invoice}: ${document.bytes} bytes, SHA-256 ${document.sha256}.`,
      );
  });
}

/** Documents that are listed when an invoice has several. */
const MAX_CHOICES = 20;

/** The document of the invoice with this number of the operator; undefined when none has it. */
async function findByInvoice(api: ApiClient, invoice: string): Promise<string | undefined> {
  const range = { limit: MAX_CHOICES, cursor: undefined };
  const { items, next } = await readRows(api, '/v1/documents', { invoice }, range);
  if (items.length <= 1) return items[0]?.id;
  const listed = items.map(
    ({ id, participant, market, periodFrom, designation, storedAt }) =>
      `${shortId(id)}  stored ${showTime(storedAt)}  ${participant} ${market} ${periodFrom} ${designation}`,
  );
  throw new CommandError(
    [
      `Invoice ${invoice} has several documents. Give the id of one:`,
      ...listed,
      ...(next === undefined ? [] : [`More: busbridge documents list --invoice ${invoice}`]),
    ].join('\n'),
    EXIT.usage,
  );
}

const DOCUMENTS: readonly Column<DocumentRow>[] = [
  { head: 'id', cell: ({ id }) => shortId(id), whole: true },
  { head: 'stored', cell: ({ storedAt }) => showTime(storedAt), rank: 2, whole: true },
  { head: 'participant', cell: ({ participant }) => participant, rank: 4 },
  { head: 'market', cell: ({ market }) => market },
  { head: 'period', cell: ({ periodFrom }) => periodFrom, whole: true },
  { head: 'run', cell: ({ designation }) => designation },
  { head: 'invoice', cell: ({ invoice }) => invoice },
  { head: 'bytes', cell: ({ bytes }) => String(bytes), align: 'right', rank: 3 },
  { head: 'sha-256', cell: ({ sha256 }) => shortId(sha256), rank: 5 },
];
