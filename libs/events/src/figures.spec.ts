import { readFileSync } from 'node:fs';
import { EVENT_TYPES } from './envelope/event-type.js';
import type { DetectedEvent } from './event.js';
import { pickFigures, readEventFigures } from './figures.js';

const readExample = (type: string): DetectedEvent =>
  JSON.parse(readFileSync(new URL(`../../examples/${type}.json`, import.meta.url), 'utf8')) as DetectedEvent;

it('each published example has the figures of its type, and every digit', () => {
  const figures = EVENT_TYPES.map((type) => [
    type.replace(/^settlementbus\.|\.v1$/g, ''),
    Object.values(readEventFigures(type, readExample(type).data)).join(' '),
  ]);
  expect(Object.fromEntries(figures)).toEqual({
    'statement.published': '18250.397825 412.06',
    'statement.revised': '18135.717825 412.06',
    'statement.overdue': '2026-03-19 2026-03-20T01:00:00',
    'statement.disagreement-due': '2026-04-17 5',
    'statement.disagreement-lapsed': '2026-04-17',
    'invoice.issued': '-19622.17 -19622.17 receive 2026-04-02',
    'invoice.adjusted': '126.15 126.15 pay 2026-06-11',
    'invoice.reversed': '-19622.17 -19622.17 receive 2026-04-02',
    'invoice.overdue': '2026-03-25 2026-03-26T01:00:00',
    'invoice.discrepancy': expect.stringMatching(/^-?[\d.]+ -?[\d.]+ 1$/) as string,
    'invoice.document-stored': '48213',
    'payment.due': '126.15 pay 2026-06-11 5',
    'estimation.published': '2026-03-14T00:00:00',
    'timeline.changed': '1',
    'position.calculated': '249999.98999999 750000.00000001 2026-03-02T00:00:00',
    'position.stale': '2026-03-02T10:15:30.250 2026-03-02T12:15:30.250',
    'position.resumed': '2026-03-02T10:15:30.250 2026-03-02T13:40:02',
    'margin.warning': '249999.98999999 WARNING 250000 100000',
    'margin.breached': '-60000.5 95000 BREACHED 250000 100000',
    'margin.restored': '310000 OK 250000 100000',
    'margin.breach-forecast': '87210.35 100000 2026-03-05',
    'margin.forecast-cleared': '187210.35 100000',
    'credit-support.short': '-50000 950000 1000000',
    'credit-support.restored': '0 1000000 1000000',
    'market.unreachable': 'prudential forbidden 2026-03-02T02:20:00.000Z',
    'market.recovered': 'prudential forbidden 2026-03-02T03:05:10.000Z',
    'bridge.alert.raised':
      'message-quarantined 3 sender-not-allowed: the operator does not trust this gateway on this channel',
    'bridge.alert.cleared': 'message-quarantined 3',
    'bridge.heartbeat': '',
  });
});

it('names a figure by the last part of its path, and leaves out what is not there', () => {
  const data = { a: { b: '1.50', c: { d: 1 } }, list: [{ e: 2 }], f: null };
  expect(pickFigures(data, ['a.b', 'a.c', 'list.0.e', 'list.1.e', 'f', 'f.g', 'h'])).toEqual({
    b: '1.50',
    e: '2',
  });
  expect(readEventFigures('settlementbus.margin.breached.v1', undefined)).toEqual({});
  expect(readEventFigures('other', { count: 1 })).toEqual({});
});
