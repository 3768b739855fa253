import { createEvent, toMarketTime, type FactIdentity } from '../envelope/create-event.js';
import type { Detection, EventEnvelope } from '../envelope/envelope.js';
import type { EventType } from '../envelope/event-type.js';
import {
  ALERT_REASON_NAMES,
  ALERT_REASONS,
  BRIDGE_APPS,
  type AlertReason,
  type BridgeApp,
} from './alert-reasons.js';
import { instant, integer, object, oneOf, text, type JsonSchema } from './json-schema.js';

/** The participant of an alert that concerns every participant of the bridge. */
export const ALL_PARTICIPANTS = '*';

/** What an operational alert is about. Two alerts with the same topic are one fault. */
export interface AlertTopic {
  readonly app: BridgeApp;
  readonly reason: AlertReason;
  /** Participant code, or `ALL_PARTICIPANTS`. */
  readonly participant: string;
  /** Fully qualified channel name. */
  readonly channel?: string;
  /** DID of the gateway or bridge that caused it. */
  readonly sender?: string;
}

/** Times are RFC 3339 in UTC with milliseconds. */
export interface BridgeAlertRaisedData extends Omit<AlertTopic, 'participant'> {
  /** Occurrences since the fault began. */
  readonly count: number;
  /** When the fault began. */
  readonly since: string;
  /** One sentence about the latest occurrence, without payload and secrets. */
  readonly detail?: string;
  /** What the operator does about it. */
  readonly action: string;
}

/** Times are RFC 3339 in UTC with milliseconds. */
export interface BridgeAlertClearedData extends Omit<AlertTopic, 'participant'> {
  readonly count: number;
  readonly since: string;
  /** When the fault ended. */
  readonly clearedAt: string;
}

/** A fault as it is reported at one moment. */
export interface AlertReport extends AlertTopic {
  readonly count: number;
  readonly since: Date;
  readonly detail?: string;
  /** Grows from one report of the same topic to the next; epoch milliseconds. */
  readonly sequence: number;
}

/** Creates the event of a fault: the first report, or a summary of further occurrences. */
export function createAlertRaisedEvent(
  report: AlertReport,
  detection: Detection,
): EventEnvelope<'settlementbus.bridge.alert.raised.v1', BridgeAlertRaisedData> {
  const { detail } = report;
  const data: BridgeAlertRaisedData = {
    ...toData(report),
    ...(detail !== undefined && { detail: detail.slice(0, MAX_DETAIL_LENGTH) || '-' }),
    action: ALERT_REASONS[report.reason].action,
  };
  return createEvent(attributes('settlementbus.bridge.alert.raised.v1', report, detection), data, detection);
}

/** Creates the event of the end of a fault. */
export function createAlertClearedEvent(
  report: AlertReport,
  detection: Detection,
): EventEnvelope<'settlementbus.bridge.alert.cleared.v1', BridgeAlertClearedData> {
  const data: BridgeAlertClearedData = { ...toData(report), clearedAt: detection.detectedAt.toISOString() };
  return createEvent(attributes('settlementbus.bridge.alert.cleared.v1', report, detection), data, detection);
}

/** Whether an event of this type is an alert about the bridge itself. */
export function isBridgeAlert(type: EventType): boolean {
  return type === 'settlementbus.bridge.alert.raised.v1' || type === 'settlementbus.bridge.alert.cleared.v1';
}

/** `<participant>/bridge/<app>/<reason>`, then channel and sender where the alert has them. */
export function alertSubject({ participant, app, reason, channel, sender }: AlertTopic): string {
  return [participant, 'bridge', app, reason, channel, sender].filter((part) => part !== undefined).join('/');
}

const MAX_DETAIL_LENGTH = 500;

function toData({ app, reason, channel, sender, count, since }: AlertReport) {
  return {
    app,
    reason,
    ...(channel !== undefined && { channel }),
    ...(sender !== undefined && { sender }),
    count,
    since: since.toISOString(),
  };
}

function attributes<Type extends EventType>(type: Type, report: AlertReport, { detectedAt }: Detection) {
  return {
    type,
    ...identifyAlert(report.participant, toData(report), report.sequence),
    sequence: BigInt(report.sequence),
    marketTime: toMarketTime(detectedAt),
  };
}

export function identifyAlert(
  participant: string,
  { since, ...topic }: Omit<AlertTopic, 'participant'> & { readonly since: string },
  sequence: number,
): FactIdentity {
  const subject = alertSubject({ ...topic, participant });
  return { participant, naturalKey: subject, version: `${since}|${sequence}`, subject };
}

const COMMON_PROPERTIES = {
  app: oneOf(...BRIDGE_APPS),
  reason: oneOf(...ALERT_REASON_NAMES),
  channel: text(255),
  sender: text(255),
  count: integer(1, 2_147_483_647),
  since: instant,
};

export const alertRaisedSchema: JsonSchema = object(
  { ...COMMON_PROPERTIES, detail: text(MAX_DETAIL_LENGTH), action: text(500) },
  ['channel', 'sender', 'detail'],
);

export const alertClearedSchema: JsonSchema = object({ ...COMMON_PROPERTIES, clearedAt: instant }, [
  'channel',
  'sender',
]);
