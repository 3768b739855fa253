import { createHash } from 'node:crypto';
import { standardError, standardOutput, type Column } from '@ssb/platform/cli';
import type { QueryOf } from '../api/api-client.js';
import type { DocumentRow } from '../api/operations.js';
import { withApi, type ListOptions } from '../commands/api-command.js';
import { CommandError, EXIT } from '../exit.js';
import { printListing } from '../output/listing.js';
import { shortId, showTime } from '../output/text.js';
import { writeOutput } from '../output-file.js';

export interface DocumentsOptions extends ListOptions, Omit<QueryOf<'/v1/documents'>, 'limit' | 'cursor'> {}

export interface GetOptions {
  readonly profile?: string;
  readonly out?: string;
}

export function listDocuments(options: DocumentsOptions): Promise<void> {
  const { participant, market, invoice, since, until } = options;
  const query = { participant, market, invoice, since, until };
  return withApi(options, (api) =>
    printListing(api, '/v1/documents', { query, columns: DOCUMENTS, empty: 'No documents match.' }, options),
  );
}

/** Writes nothing unless all bytes are those that were stored. */
export async function getDocument(id: string, { out, ...options }: GetOptions): Promise<void> {
  if (out === undefined && standardOutput.isTerminal)
    throw new CommandError(
      'A document is not text for a terminal. Give a file with --out, or another program: busbridge documents get <id> | lp',
      EXIT.usage,
    );
  await withApi({ ...options, output: 'json' }, async (api) => {
    const document = await api.get('/v1/documents/{id}', { parts: { id } });
    const content = await api.getBytes('/v1/documents/{id}/content', { id: document.id }, document);
    if (createHash('sha256').update(content).digest('hex') !== document.sha256)
      throw new CommandError(
        `The document ${document.id} arrived with other bytes than were stored. Nothing was written. Try again, and look at the log of the API.`,
      );
    writeOutput(content, out);
    if (out !== undefined)
      standardError.writeLine(
        `${out} has the document of invoice ${document.invoice}: ${document.bytes} bytes, SHA-256 ${document.sha256}.`,
      );
  });
}

const DOCUMENTS: readonly Column<DocumentRow>[] = [
  { head: 'id', cell: ({ id }) => shortId(id), whole: true },
  { head: 'stored', cell: ({ storedAt }) => showTime(storedAt), whole: true },
  { head: 'participant', cell: ({ participant }) => participant, rank: 3 },
  { head: 'market', cell: ({ market }) => market, rank: 2 },
  { head: 'period', cell: ({ periodFrom }) => periodFrom, whole: true },
  { head: 'run', cell: ({ designation }) => designation },
  { head: 'invoice', cell: ({ invoice }) => invoice },
  { head: 'bytes', cell: ({ bytes }) => String(bytes), align: 'right' },
  { head: 'sha-256', cell: ({ sha256 }) => shortId(sha256), rank: 1 },
];
