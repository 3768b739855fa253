import type { CalendarRow } from '../../api/operations.js';

/** When a statement was published, or revised last. */
export const publicationOf = ({ revisedAt, publishedAt }: CalendarRow): string | undefined =>
  revisedAt ?? publishedAt;

/** The newest statements first. The API sorts them by day only. */
export function newestStatements(rows: readonly CalendarRow[], max: number): readonly CalendarRow[] {
  const timeOf = (row: CalendarRow): number => Date.parse(publicationOf(row) ?? '1970-01-01');
  return rows.toSorted((one, other) => timeOf(other) - timeOf(one)).slice(0, max);
}
