import type { LogLine } from './app-process.js';

/** The steps that an event passes, in order; each app logs the step when it is done. */
export const STEPS = ['detected', 'queued', 'published', 'verified', 'archived', 'alerted'] as const;
export type Step = (typeof STEPS)[number];

/** The steps of one event, from the apps' logs. Times are those of the log lines, ISO 8601 UTC. */
export interface EventTrace {
  readonly eventId: string;
  readonly type: string;
  readonly subject: string;
  readonly at: Partial<Record<Step, string>>;
  /** When the operator published the fact, market time with offset. */
  readonly publishedAt?: string;
  /** DID of the bridge that stated the fact. */
  readonly signer?: string;
  /** Whether it stood out as an alert. */
  readonly alert?: boolean;
  /** Sinks that have taken it. */
  readonly sinks: readonly string[];
}

/** Collects the traces of events from log lines. */
export class EventTraces {
  private readonly byId = new Map<string, EventTrace>();

  /** @param limit how many are kept; the oldest are dropped first */
  constructor(private readonly limit = Number.POSITIVE_INFINITY) {}

  /** Notes a log line; returns the trace when the line told of a step. */
  note(line: LogLine): EventTrace | undefined {
    const { step, eventId, eventType, subject } = line;
    if (typeof eventId !== 'string' || !isStep(step)) return undefined;
    const before = this.byId.get(eventId) ?? {
      eventId,
      type: text(eventType) ?? '',
      subject: text(subject) ?? '',
      at: {},
      sinks: [],
    };
    const sink = step === 'alerted' ? text(line['sink']) : undefined;
    const trace: EventTrace = {
      ...before,
      // The poller's own line may be read later than one that repeats when it held the fact.
      at: { detected: text(line['detectedAt']), [step]: text(line['time']), ...defined(before.at) },
      publishedAt: before.publishedAt ?? text(line['publishedAt']),
      signer: before.signer ?? text(line['signer']),
      alert: before.alert ?? (typeof line['alert'] === 'boolean' ? line['alert'] : undefined),
      sinks: sink === undefined || before.sinks.includes(sink) ? before.sinks : [...before.sinks, sink],
    };
    this.byId.set(eventId, trace);
    const [oldest] = this.byId.keys();
    if (this.byId.size > this.limit && oldest !== undefined) this.byId.delete(oldest);
    return trace;
  }

  all(): EventTrace[] {
    return [...this.byId.values()];
  }

  find(type: string, subject: string): EventTrace | undefined {
    return this.all().find((trace) => trace.type === type && trace.subject === subject);
  }
}

/** The last step that an event was seen at. */
export function lastSeen(trace: EventTrace): Step | undefined {
  return STEPS.findLast((step) => trace.at[step] !== undefined);
}

function defined(times: EventTrace['at']): EventTrace['at'] {
  return Object.fromEntries(Object.entries(times).filter(([, time]) => time !== undefined));
}

function isStep(step: unknown): step is Step {
  return STEPS.some((each) => each === step);
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
