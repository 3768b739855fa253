import type { EventType } from '../envelope/event-type.js';
import {
  ALERT_REASON_NAMES,
  ALERT_SEVERITIES,
  BRIDGE_APPS,
  type AlertReason,
  type BridgeApp,
} from './alert-reason-names.js';
import type { EventDefinition } from '../definition.js';
import { fillTemplate, type IdentityTemplates } from '../identity.js';
import { described, instant, integer, MAX_INT32, object, oneOf, text, type ValueOf } from './json-schema.js';

/** The participant of an alert that concerns every participant of the bridge. */
export const ALL_PARTICIPANTS = '*';

/** The document of a fault that stands for several documents, because too many have a fault of their own. */
export const FURTHER_DOCUMENTS = '*';

export const MAX_INTERFACE_LENGTH = 100;
export const MAX_DOCUMENT_LENGTH = 255;

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
  /** Interface of the operator, or name of a sink. One of few values: metrics are counted by it. */
  readonly interface?: string;
  /** Document of the interface, or `FURTHER_DOCUMENTS`. */
  readonly document?: string;
}

export const MAX_DETAIL_LENGTH = 500;

const commonProperties = {
  app: described(oneOf(...BRIDGE_APPS), 'App that reports the fault.'),
  reason: described(oneOf(...ALERT_REASON_NAMES), 'What is wrong; the alerts page explains each reason.'),
  channel: described(text(255), 'Fully qualified channel name.'),
  sender: described(text(255), 'DID of the gateway or bridge that caused it.'),
  interface: described(
    text(MAX_INTERFACE_LENGTH),
    'Interface of the operator (`prudential`, `settlement` or `token`), or name of the sink, that the fault concerns.',
  ),
  document: described(
    text(MAX_DOCUMENT_LENGTH),
    'Document of the interface that the fault concerns; `*` stands for several that have no fault of their own.',
  ),
  count: described(integer(1, MAX_INT32), 'Occurrences since the fault began.'),
  since: described(instant, 'When the fault began; UTC.'),
} as const;

const raisedData = object(
  {
    ...commonProperties,
    detail: described(
      text(MAX_DETAIL_LENGTH),
      'One sentence about the latest occurrence, without payload and secrets.',
    ),
    action: described(text(500), 'What the operator does about it.'),
    severity: described(
      oneOf(...ALERT_SEVERITIES),
      'critical: act now, also at night; warning: act within the working day.',
    ),
  },
  ['channel', 'sender', 'interface', 'document', 'detail', 'severity'],
);
const clearedData = object(
  { ...commonProperties, clearedAt: described(instant, 'When the fault ended; UTC.') },
  ['channel', 'sender', 'interface', 'document'],
);

/** Times are RFC 3339 in UTC with milliseconds. */
export type BridgeAlertRaisedData = ValueOf<typeof raisedData>;
export type BridgeAlertClearedData = ValueOf<typeof clearedData>;

/** A fault as it is reported at one moment. */
export interface AlertReport extends AlertTopic {
  readonly count: number;
  readonly since: Date;
  readonly detail?: string;
  /** Grows from one report of the same topic to the next; epoch milliseconds. */
  readonly sequence: number;
}

/** Whether an event of this type is an alert about the bridge itself. */
export function isBridgeAlert(type: EventType): boolean {
  return type === 'settlementbus.bridge.alert.raised.v1' || type === 'settlementbus.bridge.alert.cleared.v1';
}

const SUBJECT = '{participant}/bridge/{app}/{reason}[/{channel}][/{sender}][/{interface}][/{document}]';

/** Channel, sender, interface and document are left out where the alert has none. */
export function alertSubject(topic: AlertTopic): string {
  return fillTemplate(SUBJECT, topic);
}

const identity: IdentityTemplates = { key: SUBJECT, version: '{since}|{sequence}', subject: SUBJECT };

export const alertRaised: EventDefinition<BridgeAlertRaisedData> = {
  schema: raisedData,
  identity,
  announcesProblem: () => true,
  guide: {
    when: 'The bridge has a fault; again as a summary of further occurrences.',
    response: 'Pass it to the operators of the bridge: `action` says what they do.',
    notRecovered: 'Faults are reported while they last.',
  },
};

export const alertCleared: EventDefinition<BridgeAlertClearedData> = {
  schema: clearedData,
  identity,
  announcesProblem: () => false,
  guide: {
    when: 'A fault of the bridge ended.',
    response: 'Nothing.',
    notRecovered: 'As for bridge.alert.raised.',
  },
};
