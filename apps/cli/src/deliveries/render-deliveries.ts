import { renderFittedTable, StyledText, type Column } from '@ssb/platform/cli';
import type { AttemptRow, DeliveryDetail, DeliveryRow } from '../api/operations.js';
import { renderParts, severityStyle, shortId, showTime, showType } from '../output/text.js';

export const DELIVERY_COLUMNS: readonly Column<DeliveryRow>[] = [
  { head: 'event id', cell: ({ eventId }) => shortId(eventId) },
  { head: 'added', cell: ({ addedAt }) => showTime(addedAt), whole: true },
  { head: 'sink', cell: ({ sink }) => sink },
  { head: 'state', cell: describeState, style: ({ state }) => (state === 'parked' ? 'bad' : undefined) },
  { head: 'kind', cell: ({ kind }) => kind, rank: 2 },
  {
    head: 'severity',
    cell: ({ severity }) => severity,
    style: ({ severity }) => severityStyle(severity),
    rank: 3,
  },
  { head: 'type', cell: ({ type }) => showType(type), rank: 1 },
  { head: 'participant', cell: ({ participant }) => participant, rank: 4 },
  { head: 'attempts', cell: ({ attempts }) => String(attempts), align: 'right', rank: 5 },
  { head: 'last outcome', cell: ({ lastOutcome }) => lastOutcome, rank: 6 },
];

function describeState({ state, withheld, digestId, replayed }: DeliveryRow): string {
  if (withheld !== undefined && digestId !== undefined && (state === 'withheld' || state === 'delivered'))
    return `${state === 'delivered' ? 'delivered ' : ''}in digest ${shortId(digestId)}`;
  if (state === 'withheld' && withheld !== undefined) return `withheld (${withheld})`;
  return replayed ? `${state} (replay)` : state;
}

type ShownAttempt = AttemptRow & Pick<DeliveryDetail, 'eventId' | 'sink'>;

const ATTEMPT_COLUMNS: readonly Column<ShownAttempt>[] = [
  { head: 'at', cell: ({ at }) => showTime(at), whole: true },
  { head: 'event id', cell: ({ eventId }) => shortId(eventId) },
  { head: 'sink', cell: ({ sink }) => sink },
  { head: 'attempt', cell: ({ number }) => String(number), align: 'right', rank: 3 },
  { head: 'ms', cell: ({ durationMs }) => String(durationMs), align: 'right', rank: 2 },
  {
    head: 'outcome',
    cell: ({ outcome }) => outcome,
    style: ({ outcome }) => (outcome === 'delivered' ? 'good' : 'warning'),
  },
  { head: 'status', cell: ({ status }) => status?.toString(), align: 'right' },
  { head: 'response or error', cell: ({ response, error }) => response ?? error, rank: 1 },
];

/** Deliveries, then their attempts, the oldest first. @param listing command that lists the deliveries that are left out */
export function renderDeliveries(
  deliveries: readonly DeliveryDetail[],
  listing: string | undefined,
  width: number | undefined,
): StyledText {
  const attempts = deliveries
    .flatMap(({ attemptLog, eventId, sink }) =>
      attemptLog.map((attempt): ShownAttempt => ({ ...attempt, eventId, sink })),
    )
    .toSorted((one, other) => one.at.localeCompare(other.at));
  const isCut = deliveries.some(({ hasEarlierAttempts }) => hasEarlierAttempts);
  return renderParts([
    ['', renderFittedTable(DELIVERY_COLUMNS, deliveries, width)],
    ['', listing === undefined ? undefined : StyledText.of(`There are more: ${listing}`, 'dim')],
    [
      'Attempts',
      attempts.length === 0
        ? StyledText.of('No attempts are recorded. They are deleted after DELIVERY_LOG_DAYS.')
        : renderFittedTable(ATTEMPT_COLUMNS, attempts, width),
    ],
    ['', isCut ? StyledText.of('There were earlier attempts.', 'dim') : undefined],
  ]);
}
