import { toPrintable } from '@ssb/net';
import { renderTable } from '@ssb/platform';
import { shortType } from '@ssb/config';
import { MAX_ATTEMPTS, type ListedAttempt, type ListedDelivery } from './list-deliveries.js';

const MAX_CELL_LENGTH = 200;
/** Digits of an id that listings show. A command takes them too. */
const SHORT_ID_LENGTH = 8;

/** A table of values that others wrote. */
export function table(head: readonly string[], rows: readonly (readonly unknown[])[]): string {
  return renderTable(
    head,
    rows.map((row) => row.map(toCell)),
  );
}

export function toCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Date) return value.toISOString();
  return toPrintable(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''), MAX_CELL_LENGTH);
}

export const shortId = (id: string): string => id.slice(0, SHORT_ID_LENGTH);

/** A number with its noun, as in `1 delivery is` and `2 deliveries are`. */
export const countDeliveries = (count: unknown): string =>
  count === 1 ? '1 delivery is' : `${String(count)} deliveries are`;

/** Names and values, as in `margin -5.00, day 2026-01-31`. */
export function renderFigures(figures: Readonly<Record<string, unknown>> | null): string {
  return Object.entries(figures ?? {})
    .map(([name, value]) => `${name} ${String(value)}`)
    .join(', ');
}

function describeState({ state, withheld, digestId, replayed }: ListedDelivery): string {
  if (withheld !== null && digestId !== null && (state === 'withheld' || state === 'delivered'))
    return `${state === 'delivered' ? 'delivered ' : ''}in digest ${shortId(digestId)}`;
  if (state === 'withheld' && withheld !== null) return `withheld (${withheld})`;
  return replayed ? `${state} (replay)` : state;
}

export function renderDeliveries(deliveries: readonly ListedDelivery[]): string {
  return table(
    [
      'added at',
      'sink',
      'state',
      'kind',
      'severity',
      'type',
      'participant',
      'attempts',
      'last outcome',
      'event id',
    ],
    deliveries.map((each) => [
      each.addedAt,
      each.sink,
      describeState(each),
      each.kind,
      each.severity,
      shortType(each.type),
      each.participant,
      each.attempts,
      each.lastOutcome,
      each.eventId,
    ]),
  );
}

export function renderAttempts(attempts: readonly ListedAttempt[]): string {
  if (attempts.length === 0) return 'No attempts are recorded. They are deleted after DELIVERY_LOG_DAYS.';
  const rows = table(
    ['at', 'event', 'sink', 'attempt', 'ms', 'outcome', 'status', 'response', 'error'],
    attempts.map((each) => [
      each.at,
      shortId(each.eventId),
      each.sink,
      each.number,
      each.durationMs,
      each.outcome,
      each.status,
      each.response,
      each.error,
    ]),
  );
  return attempts.length < MAX_ATTEMPTS
    ? rows
    : `${rows}\nOnly the newest ${MAX_ATTEMPTS} attempts are shown.`;
}
