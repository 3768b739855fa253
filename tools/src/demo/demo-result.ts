import { renderTable } from '@ssb/platform';
import { formatDuration, formatTime, shortenDid, shortenType } from '../report/event-lines.js';
import { type EventTrace, getLastStep } from '../system/event-trace.js';
import type { Delivery } from '../webhook/webhook-receiver.js';
import type { ExpectedEvent } from './expected-events.js';
import { renderProblemHistory, type ProblemChange } from './problem-history.js';

/** Every event must reach these sinks of config/bridge.yaml. */
const REQUIRED_SINKS = ['log', 'treasury'] as const;

interface DemoEvent {
  readonly type: string;
  readonly subject: string;
  readonly id: string;
  /** Time of the fact (CloudEvents "time"), RFC 3339 with offset. */
  readonly factTime?: string;
  readonly detectedAt?: string;
  readonly verifiedAt?: string;
  readonly archivedAt?: string;
  /** When the webhook receiver accepted it. */
  readonly deliveredAt?: string;
  readonly origin?: string;
  /** `alert` or `notice`; absent unless it was archived. */
  readonly deliveryKind?: string;
}

export interface DemoResult {
  readonly ok: boolean;
  readonly seconds: number;
  readonly events: readonly DemoEvent[];
  /** What the events did to the problems of the market. */
  readonly problems?: readonly ProblemChange[];
  /** Each with the last step that it completed, as text. */
  readonly missing: readonly (ExpectedEvent & { readonly lastSeen: string })[];
}

/** True if an event was verified, archived, delivered to each required sink, and accepted by the webhook receiver. */
export function isComplete(
  trace: EventTrace | undefined,
  isDelivered: (id: string) => boolean,
): trace is EventTrace {
  if (trace === undefined) return false;
  const { at, sinks, eventId } = trace;
  return (
    at.verified !== undefined &&
    at.archived !== undefined &&
    REQUIRED_SINKS.every((sink) => sinks.includes(sink)) &&
    isDelivered(eventId)
  );
}

/**
 * Combines the expected events with their traces and deliveries.
 * @param found the trace of each expected event
 * @param published subjects that the market has published
 */
export function buildDemoResult(
  expected: readonly ExpectedEvent[],
  found: readonly (EventTrace | undefined)[],
  deliveries: readonly Delivery[],
  published: readonly string[],
  seconds: number,
): DemoResult {
  const deliveriesById = new Map(deliveries.map((delivery) => [delivery.id, delivery]));
  const traces = expected.map((event, index) => ({ event, trace: found[index] }));
  const events = traces.flatMap(({ trace }) =>
    trace === undefined ? [] : [toDemoEvent(trace, deliveriesById.get(trace.eventId))],
  );
  const missing = traces
    .filter(({ trace }) => !isComplete(trace, (id) => deliveriesById.has(id)))
    .map(({ event, trace }) => ({ ...event, lastSeen: describeLastStep(event, trace, published) }));
  return { ok: missing.length === 0, seconds, events, missing };
}

function toDemoEvent(
  { eventId, type, subject, factTime, at, origin, deliveryKind }: EventTrace,
  delivery?: Delivery,
): DemoEvent {
  return {
    type,
    subject,
    id: eventId,
    factTime,
    detectedAt: at.detected,
    verifiedAt: at.verified,
    archivedAt: at.archived,
    deliveredAt: delivery && new Date(delivery.receivedAt).toISOString(),
    origin,
    deliveryKind,
  };
}

function describeLastStep(
  { subject }: ExpectedEvent,
  trace: EventTrace | undefined,
  published: readonly string[],
): string {
  if (trace === undefined)
    return published.includes(subject) ? 'published by the market' : 'not published by the market';
  const step = getLastStep(trace) ?? 'nowhere';
  return step === 'delivered' ? `delivered to ${trace.sinks.join(', ')}` : step;
}

/** A table of the events, and the missing events with their last steps. */
export function renderDemoResult(result: DemoResult, timeoutSeconds: number): string {
  const { ok, events, missing, seconds, problems = [] } = result;
  if (ok)
    return `${renderEvents(result)}\n${renderProblemHistory(problems)}\nAll ${events.length} events arrived: verified, archived and delivered once, in ${seconds.toFixed(1)} s.`;
  return [
    renderEvents(result),
    '',
    `Missing after ${timeoutSeconds} s:`,
    ...missing.map((event) => `  ${event.type}  ${event.subject}\n    last seen: ${event.lastSeen}`),
  ].join('\n');
}

function renderEvents({ events }: DemoResult): string {
  const head = 'event type,subject,fact time,detected,verified,delivered,latency,origin,kind'.split(',');
  const rows = events.map((event) => [
    shortenType(event.type),
    event.subject,
    event.factTime ?? '-',
    formatTime(event.detectedAt),
    formatTime(event.verifiedAt),
    formatTime(event.deliveredAt),
    formatDuration(event.detectedAt, event.deliveredAt),
    shortenDid(event.origin),
    event.deliveryKind === 'alert' ? 'ALERT' : (event.deliveryKind ?? '-'),
  ]);
  return renderTable(head, rows);
}
