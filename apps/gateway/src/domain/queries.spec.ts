import { readEventsMode } from './events-query.js';
import { readQuery } from './read-query.js';

describe('the query of GET message', () => {
  it.each([
    ['2026-11-20T01:02:03Z', '2026-11-20T01:02:03.000Z'],
    ['2026-11-20T01:02:03.123456789Z', '2026-11-20T01:02:03.123Z'],
    ['2028-02-29T00:00:00Z', '2028-02-29T00:00:00.000Z'],
    ['2026-11-20T01:02:03', '2026-11-20T01:02:03.000Z'],
    ['2026-11-20T09:02:03+08:00', '2026-11-20T01:02:03.000Z'],
    ['2026-11-20T09:02:03 08:00', '2026-11-20T01:02:03.000Z'],
  ])('takes %s as the moment %s', (from, expected) => {
    expect(readQuery.parse({ fqcn: 'a', from })).toEqual({ fqcn: 'a', from: expected });
  });

  it.each([
    ['no channel', {}],
    ['an empty channel', { fqcn: '' }],
    ['a repeated channel', { fqcn: ['a', 'b'] }],
    ['an amount of zero', { fqcn: 'a', amount: '0' }],
    ['a broken amount', { fqcn: 'a', amount: '1.5' }],
    ['a day alone', { fqcn: 'a', from: '2026-11-20' }],
    ['the 30th of February', { fqcn: 'a', from: '2026-02-30T00:00:00Z' }],
    ['a 29th of February in a common year', { fqcn: 'a', from: '2026-02-29T00:00:00Z' }],
    ['a day that does not exist', { fqcn: 'a', from: '2026-13-40T00:00:00Z' }],
    ['the name of those that give none', { fqcn: 'a', clientId: 'websocket' }],
    ['seconds since 1970', { fqcn: 'a', from: '1700000000' }],
  ])('refuses %s', (_name, query) => {
    expect(readQuery.safeParse(query).success).toBe(false);
  });
});

describe('the query of /events', () => {
  const plain = {
    clientId: 'websocket',
    named: false,
    reliable: false,
    window: undefined,
    replies: false,
    gaps: false,
    fqcn: undefined,
  };

  it.each([
    ['', plain],
    ['clientId=x', { ...plain, clientId: 'x', named: true }],
    ['clientId=x&ack=explicit&window=7', { ...plain, clientId: 'x', named: true, reliable: true, window: 7 }],
    ['clientId=websockets', { ...plain, clientId: 'websockets', named: true }],
    ['replies=all', { ...plain, replies: true }],
    ['gaps=tell', { ...plain, gaps: true }],
    ['fqcn=a&fqcn=b', { ...plain, fqcn: ['a', 'b'] }],
    ['something=else', plain],
  ])('"%s" is understood', (query, mode) => {
    expect(readEventsMode(new URLSearchParams(query))).toEqual({ ok: true, mode });
  });

  it.each([
    'ack=explicit',
    'ack=implicit&clientId=x',
    'window=0',
    'window=10001',
    'window=x',
    'replies=some',
    'gaps=hide',
    'clientId=',
    'clientId=a&clientId=b',
    'clientId=websocket',
    'clientId=websocket:of+some+channels',
    'window=1&window=1',
    'fqcn=',
    'fqcn=a&fqcn=',
  ])('"%s" is refused', (query) => {
    expect(readEventsMode(new URLSearchParams(query))).toMatchObject({ ok: false });
  });
});
