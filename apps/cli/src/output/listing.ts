import { renderFittedTable, standardError, standardOutput, StyledText, type Column } from '@ssb/platform/cli';
import type { ApiClient, ListingPath, Parts, QueryOf, RowOf } from '../api/api-client.js';
import type { ListOptions, OutputForm } from '../commands/api-command.js';
import { CommandError } from '../exit.js';

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
  if (output === 'csv') return printCsv(api, path, query, { limit, cursor });
  const { items, next } = await readRows(api, path, query, { limit, cursor });
  if (output === 'json') return standardOutput.writeJson({ items, ...(next !== undefined && { next }) });
  if (items.length === 0) return standardOutput.writeLine(empty);
  standardOutput.writeLine(renderFittedTable(columns, items, standardOutput.width));
  for (const line of summarise?.(items) ?? []) standardOutput.writeLine(line);
  if (next !== undefined)
    standardOutput.writeLine(
      StyledText.of(`There are more: raise --limit, or continue with --cursor ${next}`, 'dim'),
    );
}

interface Range {
  readonly limit: number;
  readonly cursor: string | undefined;
}

/** Rows of as many pages as the limit needs. */
export async function readRows<P extends ListingPath>(
  api: ApiClient,
  path: P,
  query: Omit<QueryOf<P>, 'limit' | 'cursor'>,
  { limit, cursor }: Range,
  parts: Parts = {},
): Promise<{ readonly items: readonly RowOf<P>[]; readonly next: string | undefined }> {
  const items: RowOf<P>[] = [];
  let next = cursor;
  do {
    const rows = Math.min(PAGE_SIZE, limit - items.length);
    const page = (await api.get(path, {
      query: { ...query, limit: rows, cursor: next },
      parts,
    })) as Page<RowOf<P>>;
    items.push(...page.items);
    next = page.next;
  } while (next !== undefined && items.length < limit);
  return { items, next };
}

interface Page<Row> {
  readonly items: readonly Row[];
  readonly next?: string;
}

/** The rows of a page cannot be counted in CSV, so the limit is applied by pages of known length. */
async function printCsv(
  api: ApiClient,
  path: ListingPath,
  query: object,
  { limit, cursor }: Range,
): Promise<void> {
  let left = limit;
  let next = cursor;
  do {
    const rows = Math.min(PAGE_SIZE, left);
    const page = await api.getCsv(path, { ...query, limit: rows, cursor: next });
    // Each page begins with the same head.
    standardOutput.writeExact(left === limit ? page.text : page.text.replace(/^[^\n]*\n/, ''));
    left -= rows;
    next = page.next;
  } while (next !== undefined && left > 0);
  if (next !== undefined)
    standardError.writeLine(`There are more rows: raise --limit, or continue with --cursor ${next}`);
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

const UUID_LENGTH = 36;
/** Rows of each listing among which a shortened id is looked for. */
const MAX_SEARCHED = 1_000;

interface ShortenedId<Query> {
  readonly id: string;
  /** Name of a row. */
  readonly what: string;
  /** The listings that show the id, one after the other. */
  readonly queries: readonly Query[];
}

/**
 * The whole of an id that listings show shortened.
 * @throws CommandError when no row, or several, begin with it
 */
export async function completeId<P extends ListingPath>(
  api: ApiClient,
  path: P,
  { id, what, queries }: ShortenedId<Omit<QueryOf<P>, 'limit' | 'cursor'>>,
): Promise<string> {
  if (id.length >= UUID_LENGTH) return id;
  for (const query of queries) {
    const { items } = await readRows(api, path, query, { limit: MAX_SEARCHED, cursor: undefined });
    const ids = items.map((row) => (row as { readonly id: string }).id);
    const found = ids.filter((each) => each.startsWith(id.toLowerCase()));
    if (found.length > 1)
      throw new CommandError(
        `Several begin with ${id}: ${found.slice(0, 5).join(', ')}. Give more of the id.`,
      );
    if (found[0] !== undefined) return found[0];
  }
  throw new CommandError(`No ${what} of the listing begins with ${id}: give its whole id, from --json.`);
}
