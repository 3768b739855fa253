import { clock, elapsed, shortDid, shortType } from '../report/event-lines.js';
import { renderTable } from '@ssb/platform';
import type { Delivery } from '../webhook/webhook-receiver.js';
import { lastSeen, type EventTrace } from '../system/event-trace.js';
import type { ExpectedEvent } from './expected-events.js';

/** Sinks that every event must have reached; the names are those of config/bridge.yaml. */
const SINKS = ['console', 'treasury'] as const;

export interface DemoEvent {
  readonly type: string;
  readonly subject: string;
  readonly id: string;
  /** When the operator published the fact, RFC 3339. */
  readonly publishedAt?: string;
  readonly detectedAt?: string;
  readonly verifiedAt?: string;
  readonly archivedAt?: string;
  /** When the webhook sink had it, checked its signature and answered. */
  readonly deliveredAt?: string;
  readonly signer?: string;
  readonly alert: boolean;
}

export interface MissingEvent extends ExpectedEvent {
  /** In words: the last place it was seen. */
  readonly lastSeen: string;
}

export interface DemoResult {
  readonly ok: boolean;
  readonly seconds: number;
  readonly events: readonly DemoEvent[];
  readonly missing: readonly MissingEvent[];
}

/** Whether an event went all the way: verified, archived, alerted at each sink, and received by the webhook's receiver. */
export function isComplete(
  trace: EventTrace | undefined,
  delivered: (id: string) => boolean,
): trace is EventTrace {
  if (trace === undefined) return false;
  const { at, sinks, eventId } = trace;
  return (
    at.verified !== undefined &&
    at.archived !== undefined &&
    SINKS.every((sink) => sinks.includes(sink)) &&
    delivered(eventId)
  );
}

/** Puts together what was expected, what travelled and what arrived. Pure. */
export function demoResult(
  expected: readonly ExpectedEvent[],
  find: (event: ExpectedEvent) => EventTrace | undefined,
  deliveries: readonly Delivery[],
  published: readonly string[],
  seconds: number,
): DemoResult {
  const byId = new Map(deliveries.map((delivery) => [delivery.id, delivery]));
  const events: DemoEvent[] = [];
  const missing: MissingEvent[] = [];
  for (const event of expected) {
    const trace = find(event);
    if (trace !== undefined) events.push(demoEvent(trace, byId.get(trace.eventId)));
    if (isComplete(trace, (id) => byId.has(id))) continue;
    missing.push({ ...event, lastSeen: whereLastSeen(event, trace, published) });
  }
  return { ok: missing.length === 0, seconds, events, missing };
}

function demoEvent(
  { eventId, type, subject, publishedAt, at, signer, alert }: EventTrace,
  delivery?: Delivery,
): DemoEvent {
  return {
    type,
    subject,
    id: eventId,
    publishedAt,
    detectedAt: at.detected,
    verifiedAt: at.verified,
    archivedAt: at.archived,
    deliveredAt: delivery && new Date(delivery.receivedAt).toISOString(),
    signer,
    alert: alert ?? false,
  };
}

function whereLastSeen(
  { subject }: ExpectedEvent,
  trace: EventTrace | undefined,
  published: readonly string[],
): string {
  if (trace !== undefined) {
    const step = lastSeen(trace) ?? 'nowhere';
    return step === 'alerted' ? `alerted at ${trace.sinks.join(', ')}` : step;
  }
  const times = published.filter((each) => each === subject).length;
  if (times === 0) return 'not published by the market';
  // A subject may have several facts, such as each level of a margin: which of them was published the log does not tell.
  return `not detected; the market published this subject ${times === 1 ? 'once' : `${times} times`}`;
}

/** What to tell of a demonstration: a table, then that all arrived, or what is missing and where it was last seen. */
export function demoText(result: DemoResult, timeoutSeconds: number): string {
  const { ok, events, missing, seconds } = result;
  if (ok)
    return `${demoTable(result)}\n\nAll ${events.length} events arrived: verified, archived and delivered once, in ${seconds.toFixed(1)} s.`;
  return [
    demoTable(result),
    '',
    `Missing after ${timeoutSeconds} s:`,
    ...missing.map((event) => `  ${event.type}  ${event.subject}\n    last seen: ${event.lastSeen}`),
  ].join('\n');
}

function demoTable({ events }: DemoResult): string {
  const head = [
    'event type',
    'subject',
    'published at',
    'detected',
    'verified',
    'delivered',
    'road',
    'signer',
    'alert',
  ];
  const rows = events.map((event) => [
    shortType(event.type),
    event.subject,
    event.publishedAt ?? '-',
    clock(event.detectedAt),
    clock(event.verifiedAt),
    clock(event.deliveredAt),
    elapsed(event.detectedAt, event.deliveredAt),
    shortDid(event.signer),
    event.alert ? 'ALERT' : 'notice',
  ]);
  return renderTable(head, rows);
}
