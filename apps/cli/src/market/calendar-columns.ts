import type { Column } from '@ssb/platform/cli';
import type { CalendarRow } from '../api/operations.js';
import { shortId } from '../output/text.js';

export const RUN: readonly Column<CalendarRow>[] = [
  { head: 'participant', cell: ({ participant }) => participant, rank: 4 },
  { head: 'market', cell: ({ market }) => market, rank: 1 },
  { head: 'period', cell: ({ periodFrom }) => periodFrom, whole: true },
  { head: 'run', cell: ({ designation }) => designation },
];

export const DISAGREE_UNTIL: Column<CalendarRow> = {
  head: 'disagree until',
  cell: ({ disagreeUntil }) => disagreeUntil,
  rank: 3,
  whole: true,
};

/** "statements show" needs it. */
export const ID: Column<CalendarRow> = { head: 'id', cell: ({ id }) => shortId(id) };
