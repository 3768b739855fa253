import { type BackfillProgress, type ListedEvent, countEvents, MAX_LISTED_EVENTS } from '@ssb/redis-queue';
import { renderTable } from '@ssb/platform';
import { toPrintable } from '@ssb/net';

const MAX_CELL_LENGTH = 200;

/** The events by type, those of a dry run one by one, and what could not be used. */
export function renderResult(progress: BackfillProgress, listed: readonly ListedEvent[]): string {
  const { events, failures, failureCount, stepsDone } = progress;
  const counts = Object.entries(events).sort(([a], [b]) => (a < b ? -1 : 1));
  const total = countEvents(progress);
  const print = (text: string): string => toPrintable(text, MAX_CELL_LENGTH);
  const tables = [
    ...(listed.length === 0
      ? []
      : [
          renderTable(
            ['time', 'type', 'subject', 'id'],
            listed.map(({ time, type, subject, id }) => [time, type, subject, id].map(print)),
          ),
        ]),
    ...(total > MAX_LISTED_EVENTS && listed.length > 0 ? [`The first ${MAX_LISTED_EVENTS} are listed.`] : []),
    counts.length === 0
      ? `There are no events in this range (${stepsDone} records).`
      : renderTable(
          ['type', 'events'],
          [...counts.map(([type, count]) => [type, String(count)]), ['total', String(total)]],
        ),
    ...(failureCount === 0
      ? []
      : [
          renderTable(
            ['could not be used', 'reason'],
            failures.map(({ what, reason }) => [print(what), print(reason)]),
          ),
        ]),
    ...(failureCount > failures.length ? [`${failureCount - failures.length} more could not be used.`] : []),
  ];
  return `${tables.join('\n\n')}\n`;
}
