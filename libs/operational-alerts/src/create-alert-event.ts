import { createAlertClearedEvent, createAlertRaisedEvent, type DetectedEvent } from '@ssb/events';
import { eventAttributes, startTrace } from '@ssb/tracing';
import type { DueAlert } from './domain/decide-alerts.js';

/** Creates the event of an alert, with a new trace. */
export function createAlertEvent({ kind, report }: DueAlert, now: Date): DetectedEvent {
  const create = kind === 'raised' ? createAlertRaisedEvent : createAlertClearedEvent;
  const trace = startTrace('alert create');
  const event = create(report, { detectedAt: now, traceparent: trace.traceparent });
  trace.succeed('created', eventAttributes(event));
  return event;
}
