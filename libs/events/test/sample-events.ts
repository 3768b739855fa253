import { parsePrivateKey } from '@ssb/identity';
import {
  createAlertClearedEvent,
  createAlertRaisedEvent,
  createHeartbeatEvent,
} from '../src/bridge-events.js';
import type { EventDataByType, FactType } from '../src/definitions.js';
import { TOPIC_BY_EVENT_TYPE, type EventType } from '../src/envelope/event-type.js';
import {
  createFactEvent,
  type DetectedEvent,
  type Detection,
  type Fact,
  type SignedEvent,
} from '../src/event.js';
import { signEvent, type EventSigningOptions } from '../src/proof.js';
import { isBridgeAlert, type AlertReport } from '../src/types/bridge-alert.js';
import type { HeartbeatFact } from '../src/types/heartbeat.js';
import type { StatementVariablesSummary } from '../src/types/statements.js';
import { withVariablesSummary } from '../src/variables-summary.js';
import { FURTHER_SETTLEMENT_FACTS } from './further-settlement-facts.js';
import { FURTHER_PRUDENTIAL_FACTS, PRUDENTIAL_FACTS } from './prudential-facts.js';
import { SETTLEMENT_FACTS } from './settlement-facts.js';

export const PARTICIPANT = 'ALPHA';

export const DETECTION: Detection = {
  detectedAt: new Date('2026-03-02T02:15:31.007Z'),
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
};

/** The data of an example of each fact. */
export const FACTS: { readonly [Type in FactType]: EventDataByType[Type] } = {
  ...SETTLEMENT_FACTS,
  ...PRUDENTIAL_FACTS,
};

export const ALERT: AlertReport = {
  app: 'subscriber',
  reason: 'message-quarantined',
  participant: PARTICIPANT,
  channel: 'settlement.channels.bridge.apps.participant.iam.market',
  sender: 'did:ethr:0x1111111111111111111111111111111111111111',
  count: 3,
  since: new Date('2026-03-02T02:10:00.000Z'),
  detail: 'sender-not-allowed: the operator does not trust this gateway on this channel',
  sequence: 1_772_417_731_007,
};

/** An alert about one document of an interface. */
export const DOCUMENT_ALERT: AlertReport = {
  app: 'poller',
  reason: 'operator-response-unusable',
  participant: PARTICIPANT,
  interface: 'prudential',
  document: 'calculation 2026-03-02T10:00:00 of 2026-03-02',
  count: 1,
  since: new Date('2026-03-02T02:10:00.000Z'),
  detail: 'prudential: data[3].tradingMargin: is missing',
  sequence: 1_772_417_731_007,
};

export const HEARTBEAT: HeartbeatFact = {
  participant: PARTICIPANT,
  channel: 'settlement.channels.bridge.apps.participant.iam.market',
  intervalMs: 60_000,
  polls: {
    prudential: { intervalMs: 15_000, lastSuccess: '2026-03-02T02:15:30.000Z' },
    settlement: { intervalMs: 30_000, lastSuccess: '2026-03-02T02:15:10.000Z' },
  },
};

export const KEY = parsePrivateKey('4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318');

export const SIGNING_OPTIONS: Omit<EventSigningOptions, 'topic'> = {
  channel: 'settlement.channels.bridge.apps.participant.iam.market',
  signedAt: new Date('2026-03-02T02:15:31.050Z'),
  key: KEY,
};

/** A fact as the poller detects it, a second after its own time. */
function detect(fact: Fact): DetectedEvent {
  const { time } = createFactEvent(fact, PARTICIPANT, DETECTION);
  const detectedAt = new Date(Math.max(Date.parse(time) + 1_007, DETECTION.detectedAt.getTime()));
  return createFactEvent(fact, PARTICIPANT, { ...DETECTION, detectedAt });
}

/** Signs an event for its channel in the example configuration of the repository. */
function sign(event: DetectedEvent): SignedEvent {
  const name =
    event.type in PRUDENTIAL_FACTS ? 'prudential' : isBridgeAlert(event.type) ? 'operations' : 'settlement';
  return signEvent(event, {
    channel: `${name}.channels.bridge.apps.participant.iam.market`,
    topic: TOPIC_BY_EVENT_TYPE[event.type],
    signedAt: new Date(Date.parse(event.detectedat) + 43),
    key: KEY,
  });
}

/** A signed event of each type, also published in `examples/`. */
export const SIGNED_EVENTS = Object.fromEntries(
  [
    ...Object.entries(FACTS).map(([type, data]) => detect({ type, data } as Fact)),
    createAlertRaisedEvent(ALERT, DETECTION),
    createAlertClearedEvent(ALERT, DETECTION),
    createHeartbeatEvent(HEARTBEAT, DETECTION),
  ].map((event) => [event.type, sign(event)]),
) as { readonly [Type in EventType]: SignedEvent<Type> };

export const VARIABLES_SUMMARY: StatementVariablesSummary = {
  count: 12_400,
  payments: 12_000,
  charges: 400,
  bytes: 1_400_000,
  sha256: 'ab'.repeat(32),
  source: { method: 'GET', path: '/api/v2/settlements/WEM/summary/2026-03-01/INITIAL' },
};

/** A statement that is too large for its channel. */
export const SUMMARISED_STATEMENT = sign(
  withVariablesSummary(SIGNED_EVENTS['settlementbus.statement.published.v1'], VARIABLES_SUMMARY),
);

/** Further events; with those of `SIGNED_EVENTS` they have every member of every type. */
export const FURTHER_EVENTS: readonly SignedEvent[] = [
  SUMMARISED_STATEMENT,
  sign(withVariablesSummary(SIGNED_EVENTS['settlementbus.statement.revised.v1'], VARIABLES_SUMMARY)),
  sign(createHeartbeatEvent({ ...HEARTBEAT, test: true }, DETECTION)),
  sign(createAlertRaisedEvent(DOCUMENT_ALERT, DETECTION)),
  sign(createAlertClearedEvent(DOCUMENT_ALERT, DETECTION)),
  sign(
    createFactEvent(
      { type: 'settlementbus.invoice.issued.v1', data: FACTS['settlementbus.invoice.issued.v1'] },
      PARTICIPANT,
      { ...DETECTION, backfilled: true },
    ),
  ),
  ...[...FURTHER_SETTLEMENT_FACTS, ...FURTHER_PRUDENTIAL_FACTS].map((fact) => sign(detect(fact))),
].map((event) => JSON.parse(JSON.stringify(event)) as SignedEvent);
