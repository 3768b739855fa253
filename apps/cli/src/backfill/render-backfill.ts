import { renderFittedTable, standardOutput, StyledText } from '@ssb/platform/cli';
import type { BackfillRow, ListedEvent } from '../api/operations.js';
import { renderParts, showTime } from '../output/text.js';

/** The poller lists no more events than these; it counts the others. */
export const MAX_LISTED_EVENTS = 50_000;

/** Its events by type, those of a dry run one by one, and what could not be used. */
export function renderBackfill(backfill: BackfillRow, listed: readonly ListedEvent[] = []): StyledText {
  const { participant, from, to, dryRun, state, types, events, failures, failureCount, stepsDone } = backfill;
  const { width } = standardOutput;
  const title = `${participant} from ${from} to ${to}${dryRun ? ', not raised' : ''}: ${state}`;
  const totals = [...types].sort((a, b) => (a.type < b.type ? -1 : 1));
  return renderParts([
    ['', StyledText.of(title, 'heading')],
    [
      '',
      listed.length === 0
        ? undefined
        : renderFittedTable(
            [
              { head: 'time', cell: ({ time }) => showTime(time), whole: true },
              { head: 'type', cell: ({ type }) => type },
              { head: 'subject', cell: ({ subject }) => subject },
              { head: 'id', cell: ({ id }) => id, rank: 1 },
            ],
            listed,
            width,
          ),
    ],
    [
      '',
      listed.length > 0 && events > MAX_LISTED_EVENTS
        ? StyledText.of(`The first ${MAX_LISTED_EVENTS} are listed.`)
        : undefined,
    ],
    [
      '',
      totals.length === 0
        ? state === 'done'
          ? StyledText.of(`There are no events in this range (${stepsDone} records).`)
          : undefined
        : renderFittedTable(
            [
              { head: 'type', cell: ({ type }) => type },
              { head: 'events', cell: (row) => String(row.events), align: 'right' },
            ],
            [...totals, { type: 'total', events }],
            width,
          ),
    ],
    [
      '',
      failureCount === 0
        ? undefined
        : renderFittedTable(
            [
              { head: 'could not be used', cell: ({ what }) => what, style: () => 'bad' },
              { head: 'reason', cell: ({ reason }) => reason },
            ],
            failures,
            width,
          ),
    ],
    [
      '',
      failureCount > failures.length
        ? StyledText.of(`${failureCount - failures.length} more could not be used.`)
        : undefined,
    ],
  ]);
}
