import type { DetectedEvent, Detection } from '@ssb/events';
import { eventAttributes, startTrace, type RootSpan } from '@ssb/tracing';
import type { SettlementEvent } from './domain/settlement-events.js';

/** The root span of an event: from the request to the market until the event exists. One without an event is never sent. */
export class DetectionTrace {
  readonly detection: Detection;
  private readonly span: RootSpan;

  constructor(requestedAt: Date, detectedAt = new Date()) {
    this.span = startTrace('event detect', { startTime: requestedAt });
    this.detection = { detectedAt, traceparent: this.span.traceparent };
  }

  finish<Result extends DetectedEvent | SettlementEvent>(result: Result): Result {
    if (!('ok' in result)) this.span.succeed('detected', eventAttributes(result));
    else if (result.ok) this.span.succeed('detected', eventAttributes(result.event));
    return result;
  }
}
