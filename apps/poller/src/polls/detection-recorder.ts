import {
  createFactEvent,
  PRECEDENCES,
  precedenceOf,
  type DetectedEvent,
  type Detection,
  type Fact,
} from '@ssb/events';
import { type LogFields, type Logger, eventAttributes, startSpan, startTrace } from '@ssb/platform';
import type { EventQueue } from '@ssb/redis-queue';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { FencingToken } from '../state/poller-keys.js';
import type { ParticipantMetrics } from '../metrics/participant-metrics.js';
import type { PollerStateStore } from '../state/poller-state-store.js';
import type { SavedState } from '../state/saved-state.js';

export interface DetectionRecorderDependencies {
  readonly participant: string;
  readonly now: () => Date;
  readonly store: Pick<PollerStateStore, 'savePart' | 'savePending'>;
  readonly queue: Pick<EventQueue, 'enqueue'>;
  readonly metrics: ParticipantMetrics;
  readonly log: Logger;
}

/** A detection of one part of the state. */
export interface DetectionRecord {
  /** Name of the part. */
  readonly part: string;
  readonly facts: readonly Fact[];
  /** The next state, as it is saved. */
  readonly text: string;
  /** The state in Redis; undefined without a state, or when another client changed it. */
  readonly savedText: string | undefined;
  /** When the response was requested, by the local clock. */
  readonly requestedAt: Date;
  /** Changes an event before it is saved, because it may be too large for its channel. */
  readonly fit?: (event: DetectedEvent) => Promise<DetectedEvent>;
}

/** Events that are queued in one call. */
const MAX_BATCH = 200;

/**
 * Saves the events of a detection as pending, queues them, then saves the state. After a restart, pending events are queued first, because
 * the next response may differ.
 */
export class DetectionRecorder {
  constructor(private readonly dependencies: DetectionRecorderDependencies) {}

  /** @throws FencedOffError */
  async record(token: FencingToken, record: DetectionRecord): Promise<void> {
    const { part, facts, text, savedText } = record;
    const { store } = this.dependencies;
    if (facts.length > 0) {
      const events = await this.createEvents(record);
      await store.savePending(token, part, { events, state: text });
      await this.enqueue(events);
    } else if (text === savedText) return;
    await store.savePart(token, part, text);
  }

  /** Queues the events of interrupted detections. @returns the states of all parts @throws FencedOffError */
  async completePending(token: FencingToken, { parts, pending }: SavedState): Promise<Map<string, string>> {
    const completed = new Map(parts);
    for (const [part, { events, state: text }] of pending) {
      await this.enqueue(events);
      await this.dependencies.store.savePart(token, part, text);
      completed.set(part, text);
    }
    return completed;
  }

  private async createEvents({ facts, requestedAt, fit }: DetectionRecord): Promise<DetectedEvent[]> {
    const detectedAt = this.dependencies.now();
    const events: DetectedEvent[] = [];
    for (const [index, fact] of facts.entries()) {
      if (index > 0 && index % MAX_BATCH === 0) await yieldToOthers();
      const event = this.createEvent(fact, requestedAt, detectedAt);
      events.push(fit === undefined ? event : await fit(event));
    }
    return events;
  }

  /** The root span of an event lasts from the request to the market until the event exists. */
  private createEvent(fact: Fact, requestedAt: Date, detectedAt: Date): DetectedEvent {
    const span = startTrace('event detect', { startTime: requestedAt });
    const detection: Detection = { detectedAt, traceparent: span.traceparent };
    const event: DetectedEvent = createFactEvent(fact, this.dependencies.participant, detection);
    span.succeed('detected', eventAttributes(event));
    return event;
  }

  /** Queues events of a lower precedence number first, in batches, so that an urgent event waits for no other. */
  private async enqueue(events: readonly DetectedEvent[]): Promise<void> {
    for (const precedence of PRECEDENCES) {
      const group = events.filter((event) => precedenceOf(event) === precedence);
      for (let index = 0; index < group.length; index += MAX_BATCH)
        await this.enqueueBatch(group.slice(index, index + MAX_BATCH));
    }
  }

  private async enqueueBatch(events: readonly DetectedEvent[]): Promise<void> {
    const { queue, metrics, log } = this.dependencies;
    const queued = events.map((event) => {
      metrics.shared.detected.inc({ type: event.type });
      log.debug({ step: 'detected', ...describe(event) }, 'event detected');
      const attributes = eventAttributes(event);
      return startSpan('event enqueue', { kind: 'producer', parent: event.traceparent, attributes });
    });
    const stored = queue.enqueue(events);
    await Promise.all(queued.map((span) => span.during(stored, 'queued')));
    for (const event of events) {
      log.info({ step: 'queued', ...describe(event) }, 'event queued');
      metrics.shared.countQueued(event);
    }
  }
}

function describe({ id, type, subject, time, detectedat }: DetectedEvent): LogFields {
  return { eventId: id, eventType: type, subject, factTime: time, detectedAt: detectedat };
}
