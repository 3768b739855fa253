import { renderFittedTable, standardError, standardOutput, StyledText, type Column } from '@ssb/platform/cli';
import { checkParticipants, describeLimit } from '../api/visible-participants.js';
import type { ApiClient, ListingPath, Parts, QueryOf, ResponseOf, RowOf } from '../api/api-client.js';
import type { ListOptions } from '../commands/api-command.js';
import type { OutputForm } from '../options.js';

export interface Listing<P extends ListingPath> {
  readonly query: Omit<QueryOf<P>, 'limit' | 'cursor'>;
  readonly columns: readonly Column<RowOf<P>>[];
  /** What to print when nothing matches. */
  readonly empty: string;
  /** Lines below the table, such as a sum of its amounts. */
  readonly summarise?: (rows: readonly RowOf<P>[]) => readonly StyledText[];
}

/** Rows of a page of the API. */
const PAGE_SIZE = 100;

/** Prints a listing of the API, with the cursor of what comes after `--limit` rows. */
export async function printListing<P extends ListingPath>(
  api: ApiClient,
  path: P,
  { query, columns, empty, summarise }: Listing<P>,
  { output, limit, cursor }: ListOptions,
): Promise<void> {
  await checkParticipants(api, (query as { readonly participant?: readonly string[] }).participant);
  if (output === 'csv') {
    return reportLeft(await writeCsv(api, path, query, { limit, cursor }));
  }
  const { items, next } = await readRows(api, path, query, { limit, cursor });
  if (output === 'json') return standardOutput.writeJson({ items, ...(next !== undefined && { next }) });
  if (items.length === 0) return writeEmpty(api, empty);
  standardOutput.writeLine(renderFittedTable(columns, items, standardOutput.width));
  for (const line of summarise?.(items) ?? []) standardOutput.writeLine(line);
  if (next !== undefined)
    standardOutput.writeLine(
      StyledText.of(`There are more: raise --limit, or continue with --cursor ${next}`, 'dim'),
    );
}

/** @param left the cursor of what was left out of CSV */
export function reportLeft(left: string | undefined): void {
  if (left !== undefined)
    standardError.writeLine(`There are more rows: raise --limit, or continue with --cursor ${left}`);
}

/** An empty listing of credentials that see some participants only says nothing of the others. */
export async function writeEmpty(api: ApiClient, sentence: string): Promise<void> {
  standardOutput.writeLine(sentence);
  const limit = await describeLimit(api);
  if (limit !== undefined) standardOutput.writeLine(StyledText.of(limit, 'warning'));
}

interface Range {
  readonly limit: number;
  readonly cursor: string | undefined;
}

/** Rows of as many pages as the limit needs. `page` is the last one, for members about all rows. */
export async function readRows<P extends ListingPath>(
  api: ApiClient,
  path: P,
  query: Omit<QueryOf<P>, 'limit' | 'cursor'>,
  { limit, cursor }: Range,
  parts: Parts = {},
): Promise<Rows<P>> {
  const items: RowOf<P>[] = [];
  let page: PageOf<P> | undefined;
  do {
    const rows = Math.min(pageSizeOf(path), limit - items.length);
    page = await api.get(path, {
      query: { ...query, limit: rows, cursor: page === undefined ? cursor : page.next },
      parts,
    });
    items.push(...(page.items as readonly RowOf<P>[]));
  } while (page.next !== undefined && items.length < limit);
  return { items, next: page.next, page };
}

type PageOf<P extends ListingPath> = ResponseOf<P> & { readonly next?: string };

interface Rows<P extends ListingPath> {
  readonly items: readonly RowOf<P>[];
  readonly next: string | undefined;
  /** The last one, with what is the same in each. */
  readonly page: PageOf<P>;
}

/** Of several listings in one output: a column that names the listing of each row. */
interface ListingColumn {
  readonly head: string;
  readonly value: string;
  /** Whether it is the first listing, which has the head. */
  readonly isFirst: boolean;
}

/** The API gives fewer participants on a page, because each has two series, and more differences of a large statement. */
const PAGE_SIZES: Readonly<Partial<Record<ListingPath, number>>> = {
  '/v1/positions': 2,
  '/v1/statements/{id}/differences': 1_000,
};

const pageSizeOf = (path: ListingPath): number => PAGE_SIZES[path] ?? PAGE_SIZE;

/** A record of CSV with its line end. A quoted cell can have line ends. */
const RECORD = /(?:"(?:[^"]|"")*"|[^"\n])+\n/g;

/**
 * The rows of a page cannot be counted, because one of the API can be several of CSV, so the limit is applied by pages of known length.
 * @returns the cursor of what was left out
 */
export async function writeCsv(
  api: ApiClient,
  path: ListingPath,
  query: object,
  { limit, cursor }: Range,
  { column, parts = {} }: { readonly column?: ListingColumn; readonly parts?: Parts } = {},
): Promise<string | undefined> {
  let left = limit;
  let next = cursor;
  do {
    const rows = Math.min(pageSizeOf(path), left);
    const page = await api.getCsv(path, { ...query, limit: rows, cursor: next }, parts);
    const [head = '', ...records] = page.text.match(RECORD) ?? [];
    // Each page begins with the same head.
    const hasHead = left === limit && column?.isFirst !== false;
    standardOutput.writeExact(
      (hasHead ? (column === undefined ? head : `${column.head},${head}`) : '') +
        records.map((record) => (column === undefined ? record : `${column.value},${record}`)).join(''),
    );
    left -= rows;
    next = page.next;
  } while (next !== undefined && left > 0);
  return next;
}

/** Prints a result as JSON, or as the text that `render` makes of it. */
export function printResult<T>(
  value: T,
  output: OutputForm,
  render: (value: T) => string | StyledText,
): void {
  if (output === 'json') standardOutput.writeJson(value);
  else standardOutput.writeLine(render(value));
}
