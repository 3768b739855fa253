import {
  createAlertClearedEvent,
  createAlertRaisedEvent,
  newTraceparent,
  type DetectedEvent,
} from '@ssb/events';
import type { DueAlert } from './domain/decide-alerts.js';

/** Creates the event of an alert, with a new trace. */
export function createAlertEvent({ kind, report }: DueAlert, now: Date): DetectedEvent {
  const create = kind === 'raised' ? createAlertRaisedEvent : createAlertClearedEvent;
  return create(report, { detectedAt: now, traceparent: newTraceparent() });
}
