import { HEARTBEAT_TYPE } from '@ssb/config';
import type { LogLine } from './app-process.js';

/** The steps of an event, in order. An app logs each step when it is complete. */
const STEPS = ['detected', 'queued', 'published', 'verified', 'archived', 'delivered'] as const;
export type Step = (typeof STEPS)[number];

/** The steps of one event, from the apps' logs. Times are those of the log lines, ISO 8601 UTC. */
export interface EventTrace {
  readonly eventId: string;
  readonly type: string;
  readonly subject: string;
  readonly at: Partial<Record<Step, string>>;
  /** Time of the fact (CloudEvents "time"), market time with offset. */
  readonly factTime?: string;
  /** DID of the bridge that signed the event. */
  readonly origin?: string;
  /** `alert` or `notice`, as its rule in CONFIG_FILE decides. */
  readonly deliveryKind?: string;
  /** Sinks that have accepted it. */
  readonly sinks: readonly string[];
}

/** Collects event traces from log lines. */
export class EventTraces {
  private readonly tracesById = new Map<string, EventTrace>();

  /** @param maxTraces the oldest traces are dropped first */
  constructor(private readonly maxTraces = Number.POSITIVE_INFINITY) {}

  /** Records a log line. @returns the trace of the event; undefined if the line is not about a step, or about a heartbeat */
  record(line: LogLine): EventTrace | undefined {
    const { step, eventId, eventType, subject } = line;
    if (typeof eventId !== 'string' || !isStep(step) || eventType === HEARTBEAT_TYPE) return undefined;
    const previous = this.tracesById.get(eventId) ?? {
      eventId,
      type: toText(eventType) ?? '',
      subject: toText(subject) ?? '',
      at: {},
      sinks: [],
    };
    const sink = step === 'delivered' ? toText(line['sink']) : undefined;
    const trace: EventTrace = {
      ...previous,
      // Lines of different apps arrive in any order, so later steps repeat the times of earlier ones.
      at: {
        detected: toText(line['detectedAt']),
        verified: toText(line['verifiedAt']),
        [step]: toText(line['time']),
        ...omitUndefined(previous.at),
      },
      factTime: previous.factTime ?? toText(line['factTime']),
      origin: previous.origin ?? toText(line['origin']),
      deliveryKind: previous.deliveryKind ?? toText(line['deliveryKind']),
      sinks: sink === undefined || previous.sinks.includes(sink) ? previous.sinks : [...previous.sinks, sink],
    };
    this.tracesById.set(eventId, trace);
    const [oldest] = this.tracesById.keys();
    if (this.tracesById.size > this.maxTraces && oldest !== undefined) this.tracesById.delete(oldest);
    return trace;
  }

  all(): EventTrace[] {
    return [...this.tracesById.values()];
  }

  /** The trace of each expected event. */
  match(expected: readonly EventName[]): (EventTrace | undefined)[] {
    return matchInOrder(expected, this.all());
  }
}

interface EventName {
  readonly type: string;
  readonly subject: string;
}

/** The subject as scenarios expect it: with `{digest}` in place of a digest at its end, which depends on the day of the scenario. */
export function withAnyDigest(subject: string): string {
  return subject.replace(/\/[0-9a-f]{64}$/, '/{digest}');
}

/**
 * Matches each expected event with a found one of its type and subject. The second expected event of the same type and subject has the second
 * found one.
 */
export function matchInOrder<T extends EventName>(
  expected: readonly EventName[],
  found: readonly T[],
): (T | undefined)[] {
  const toKey = ({ type, subject }: EventName): string => `${type} ${withAnyDigest(subject)}`;
  const rest = new Map<string, T[]>(expected.map((each) => [toKey(each), []]));
  for (const each of found) rest.get(toKey(each))?.push(each);
  return expected.map((each) => rest.get(toKey(each))?.shift());
}

/** The last step that the event has completed. */
export function getLastStep(trace: EventTrace): Step | undefined {
  return STEPS.findLast((step) => trace.at[step] !== undefined);
}

function omitUndefined(times: EventTrace['at']): EventTrace['at'] {
  return Object.fromEntries(Object.entries(times).filter(([, time]) => time !== undefined));
}

function isStep(step: unknown): step is Step {
  return STEPS.some((known) => known === step);
}

function toText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
