import { parsePrivateKey } from '@ssb/identity';
import type { Detection } from '../envelope/envelope.js';
import { TOPIC_BY_EVENT_TYPE, type EventType } from '../envelope/event-type.js';
import type { SignedEvent } from '../event.js';
import { signEvent, type EventSigningOptions } from '../proof.js';
import { createInvoiceIssuedEvent, type InvoiceFact } from '../types/invoice-issued.js';
import { createMarginEvent, type MarginFact } from '../types/margin.js';
import { createStatementPublishedEvent, type StatementFact } from '../types/statement-published.js';

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
};

function sign(event: Parameters<typeof signEvent>[0]): SignedEvent {
  return signEvent(event, { ...SIGNING_OPTIONS, topic: TOPIC_BY_EVENT_TYPE[event.type] });
}
