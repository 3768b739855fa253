import { parsePrivateKey } from '@ssb/identity';
import type { Detection } from '../envelope/envelope.js';
import { TOPIC_BY_EVENT_TYPE, type EventType } from '../envelope/event-type.js';
import type { SignedEvent } from '../event.js';
import { signEvent, type EventSigningOptions } from '../proof.js';
import { createAlertClearedEvent, createAlertRaisedEvent, type AlertReport } from '../types/bridge-alert.js';
import { createHeartbeatEvent, type HeartbeatFact } from '../types/heartbeat.js';
import { createInvoiceIssuedEvent, type InvoiceFact } from '../types/invoice-issued.js';
import { createMarginEvent, type MarginFact } from '../types/margin.js';
import {
  createStatementPublishedEvent,
  withVariablesSummary,
  type StatementFact,
  type StatementVariablesSummary,
} from '../types/statement-published.js';

/** One fact of each kind with every optional member; a test changes one thing at a time. */
export const DETECTION: Detection = {
  detectedAt: new Date('2026-03-02T02:15:31.007Z'),
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
};

export const STATEMENT: StatementFact = {
  participant: 'ALPHA',
  runId: 4711,
  publishedAt: '2026-03-20T17:00:05',
  marketService: 'WEM',
  designation: 'INITIAL',
  period: 'TW 01 Mar 2026',
  periodFrom: '2026-03-01T08:00:00',
  periodTo: '2026-03-08T08:00:00',
  tradingDays: 7,
  totals: { payment: '123456789012345.67890123', charge: '-0.00000001' },
  variables: [
    {
      tradingDay: '2026-03-01T00:00:00',
      variable: 'Energy uplift – “Ärger”',
      pOrC: 'P',
      gstApplicable: 'Y',
      value: '123456789012345.67890123',
    },
    {
      tradingDay: '2026-03-02T00:00:00',
      variable: 'Market fees',
      pOrC: 'C',
      gstApplicable: 'N',
      value: '-0.00000001',
    },
  ],
};

export const VARIABLES_SUMMARY: StatementVariablesSummary = {
  count: 12_400,
  payments: 12_000,
  charges: 400,
  bytes: 1_400_000,
  sha256: 'ab'.repeat(32),
  source: { method: 'GET', path: '/api/v2/settlements/WEM/summary/2026-03-01/INITIAL' },
};

export const INVOICE: InvoiceFact = {
  participant: 'ALPHA',
  id: 'INV-0007',
  reversedId: 'INV-0003',
  market: 'WEM',
  designation: 'ADJ1',
  periodFrom: '2026-03-01T08:00:00',
  tradeWeek: 'TW 01 Mar 2026',
  tradeMonth: '2026-03',
  adjustment: 1,
  invoiceDate: '2026-03-21',
  dueDate: '2026-04-02',
  total: '1000.10',
  payableAmount: '-999.90',
  settlementRequired: true,
};

export const MARGIN: MarginFact = {
  participant: 'ALPHA',
  tradingDay: '2026-03-02T00:00:00',
  calculatedAt: '2026-03-02T10:15:30.250',
  level: 'WARNING',
  previousLevel: 'OK',
  tradingMargin: '249999.99999999',
  outstandingAmount: '750000.00000001',
  thresholds: { warning: '250000', breach: '100000', hysteresis: '10000' },
};

export const ALERT: AlertReport = {
  app: 'subscriber',
  reason: 'message-quarantined',
  participant: 'ALPHA',
  channel: 'settlement.channels.bridge.apps.iam.local',
  sender: 'did:ethr:0x1111111111111111111111111111111111111111',
  count: 3,
  since: new Date('2026-03-02T02:10:00.000Z'),
  detail: 'sender-not-allowed: the operator does not trust this gateway on this channel',
  sequence: 1_772_417_731_007,
};

export const HEARTBEAT: HeartbeatFact = {
  participant: 'ALPHA',
  channel: 'settlement.channels.bridge.apps.iam.local',
  intervalMs: 60_000,
  polls: {
    prudential: { intervalMs: 15_000, lastSuccess: '2026-03-02T02:15:30.000Z' },
    settlement: { intervalMs: 30_000, lastSuccess: '2026-03-02T02:15:10.000Z' },
  },
};

export const KEY = parsePrivateKey('4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318');

export const SIGNING_OPTIONS: Omit<EventSigningOptions, 'topic'> = {
  channel: 'settlement.channels.bridge.apps.iam.local',
  signedAt: new Date('2026-03-02T02:15:31.050Z'),
  key: KEY,
};

/** A signed event of each type. */
export const SIGNED_EVENTS: Readonly<Record<EventType, SignedEvent>> = {
  'settlementbus.statement.published.v1': sign(createStatementPublishedEvent(STATEMENT, DETECTION)),
  'settlementbus.invoice.issued.v1': sign(createInvoiceIssuedEvent(INVOICE, DETECTION)),
  'settlementbus.margin.warning.v1': sign(createMarginEvent(MARGIN, DETECTION)),
  'settlementbus.margin.breached.v1': sign(
    createMarginEvent({ ...MARGIN, previousLevel: 'WARNING', level: 'BREACHED' }, DETECTION),
  ),
  'settlementbus.margin.restored.v1': sign(
    createMarginEvent({ ...MARGIN, previousLevel: 'BREACHED', level: 'OK' }, DETECTION),
  ),
  'settlementbus.bridge.alert.raised.v1': sign(createAlertRaisedEvent(ALERT, DETECTION)),
  'settlementbus.bridge.alert.cleared.v1': sign(createAlertClearedEvent(ALERT, DETECTION)),
  'settlementbus.bridge.heartbeat.v1': sign(createHeartbeatEvent(HEARTBEAT, DETECTION)),
};

export const SUMMARISED_STATEMENT = sign(
  withVariablesSummary(createStatementPublishedEvent(STATEMENT, DETECTION), VARIABLES_SUMMARY),
);

function sign(event: Parameters<typeof signEvent>[0]): SignedEvent {
  return signEvent(event, { ...SIGNING_OPTIONS, topic: TOPIC_BY_EVENT_TYPE[event.type] });
}
