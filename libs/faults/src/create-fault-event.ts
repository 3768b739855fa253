import { createAlertClearedEvent, createAlertRaisedEvent, type DetectedEvent } from '@ssb/events';
import { escapeLine, toPrintable } from '@ssb/net';
import { eventAttributes, startTrace } from '@ssb/platform';
import type { DueReport } from './domain/decide-reports.js';

/** As the schema of the event. */
const MAX_SENDER_LENGTH = 255;

/** Creates the event of a fault, with a new trace. Its texts may quote a server, and reach chats and terminals. */
export function createFaultEvent({ kind, report }: DueReport, now: Date): DetectedEvent {
  const create = kind === 'raised' ? createAlertRaisedEvent : createAlertClearedEvent;
  const trace = startTrace('alert create');
  const { sender, detail } = report;
  const shown = {
    ...report,
    ...(sender !== undefined && { sender: toPrintable(sender, MAX_SENDER_LENGTH) }),
    ...(detail !== undefined && { detail: escapeLine(detail) }),
  };
  const event = create(shown, { detectedAt: now, traceparent: trace.traceparent });
  trace.succeed('created', eventAttributes(event));
  return event;
}
