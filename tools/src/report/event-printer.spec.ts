import { waitFor } from '@ssb/testing';
import type { LogLine } from '../system/app-process.js';
import type { ArchivedEvent } from './event-lines.js';
import { EventPrinter } from './event-printer.js';

let printed: string[];
let events: Map<string, ArchivedEvent>;

beforeEach(() => {
  printed = [];
  events = new Map();
});

/** Market time of the start is 2026-11-20 10:00. */
function createPrinter(listedSince?: Date): EventPrinter {
  const collect = (line: string): void => void printed.push(line);
  return new EventPrinter({
    printer: { writeLine: collect, writeAlert: collect },
    archive: { read: (id) => Promise.resolve(events.get(id)) },
    listedSince,
    quietMs: 0,
  });
}
const STARTED_AT = new Date('2026-11-20T02:00:00.000Z');

let lines = 0;
function archived(type: string, subject: string, factTime: string, more: LogLine = {}): LogLine {
  lines += 1;
  return {
    step: 'archived',
    eventId: `event ${lines}`,
    eventType: `settlementbus.${type}.v1`,
    subject,
    factTime,
    time: '2026-11-20T02:00:09.000Z',
    backlog: false,
    deliveryKind: 'notice',
    ...more,
  };
}

const TODAY = '2026-11-20T00:00:00+08:00';
const YESTERDAY = '2026-11-19T00:00:00+08:00';
const NOW = '2026-11-20T10:00:05+08:00';
const INVOICE = 'WPGENCO/WEM/2026-11-08/INITIAL/invoice/A';

it('prints a line with figures for each event from the start on, in the order of the log', async () => {
  const printer = createPrinter();
  const breached = archived('margin.breached', 'WPGENCO/prudential', NOW, { deliveryKind: 'alert' });
  const data = {
    tradingMargin: '-1.00',
    thresholds: { warning: '5.00', breach: '0.00', hysteresis: '1.00' },
  };
  events.set(String(breached['eventId']), { participant: 'WPGENCO', data });
  printer.record(breached);
  printer.record(archived('bridge.heartbeat', 'WPGENCO/heartbeat', NOW));
  printer.record(archived('position.calculated', 'WPGENCO/position', NOW));
  printer.record({ ...breached, step: 'verified' });
  printer.record(archived('margin.restored', 'WPGENCO/prudential', NOW));
  expect(printed).toEqual([]);
  printer.start();
  await printer.settled();
  expect(printed).toEqual([
    '!! 10:00:09  margin.breached      WPGENCO  margin -1.00 below 0.00',
    '   10:00:09  margin.restored      WPGENCO/prudential',
  ]);
});

it('counts what was published before the start', async () => {
  const printer = createPrinter(STARTED_AT);
  printer.start();
  const past = [
    archived('statement.published', 'WPGENCO/WEM/2026-11-08/INITIAL', '2026-11-20T09:59:59+08:00'),
    archived('statement.disagreement-due', 'WPGENCO/a', YESTERDAY, { deliveryKind: 'alert' }),
    archived('invoice.issued', INVOICE, YESTERDAY),
    archived('position.calculated', 'WPGENCO/position', '2026-11-19T17:00:00+08:00'),
    archived('payment.due', `${INVOICE}/payment`, YESTERDAY),
    archived('invoice.document-stored', `${INVOICE}/document`, NOW),
  ];
  for (const line of past) printer.record(line);
  await waitFor('the summary', () => printed.length === 3);
  expect(printed).toEqual([
    '   backlog: 5 events archived, not listed one by one',
    '            calculations 1, disagreement reminders 1, statements 1, invoices 1, payment reminders 1',
    '            1 of them opened a problem: npx busbridge problems list',
  ]);
});

it('lists an invoice of today with its document and its reminder', async () => {
  const printer = createPrinter(STARTED_AT);
  printer.start();
  printer.record(archived('invoice.issued', INVOICE, TODAY));
  printer.record(archived('payment.due', `${INVOICE}/payment`, YESTERDAY));
  printer.record(archived('payment.due', `${INVOICE}/payment`, TODAY));
  printer.record(archived('invoice.document-stored', `${INVOICE}/document`, NOW));
  await printer.settled();
  expect(printed.map((line) => line.split(/ {2,}/)[3])).toEqual([
    INVOICE,
    `${INVOICE}/payment`,
    `${INVOICE}/document`,
  ]);
});

it('counts only what the subscriber took for backlog, if nothing else is asked', async () => {
  const printer = createPrinter();
  printer.start();
  printer.record(archived('invoice.issued', INVOICE, YESTERDAY, { backlog: true, deliveryKind: undefined }));
  printer.record(archived('invoice.document-stored', `${INVOICE}/document`, YESTERDAY));
  await printer.settled();
  expect(printed).toEqual([
    '   backlog: 1 event archived, not listed one by one',
    '            invoices 1',
    expect.stringContaining('invoice.document-stored'),
  ]);
});
