import { parseEventsQuery } from './events-query.js';

describe('the query of /events', () => {
  const plain = {
    clientId: 'websocket',
    named: false,
    explicitAck: false,
    window: undefined,
    replies: false,
    gaps: false,
    from: undefined,
    fqcn: undefined,
  };

  it.each([
    ['', plain],
    ['clientId=x', { ...plain, clientId: 'x', named: true }],
    [
      'clientId=x&ack=explicit&window=7',
      { ...plain, clientId: 'x', named: true, explicitAck: true, window: 7 },
    ],
    ['clientId=websockets', { ...plain, clientId: 'websockets', named: true }],
    ['replies=all', { ...plain, replies: true }],
    ['gaps=report', { ...plain, gaps: true }],
    ['clientId=x&from=now', { ...plain, clientId: 'x', named: true, from: 'now' }],
    ['clientId=x&from=oldest', { ...plain, clientId: 'x', named: true, from: 'oldest' }],
    [
      'clientId=x&from=2026-11-20T01:02:03.5Z',
      { ...plain, clientId: 'x', named: true, from: '2026-11-20T01:02:03.5Z' },
    ],
    ['fqcn=a&fqcn=b', { ...plain, fqcn: ['a', 'b'] }],
    ['something=else', plain],
  ])('"%s" is accepted', (query, options) => {
    expect(parseEventsQuery(new URLSearchParams(query))).toEqual({ ok: true, options });
  });

  it.each([
    'ack=explicit',
    'ack=implicit&clientId=x',
    'window=0',
    'window=10001',
    'window=x',
    'replies=some',
    'gaps=hide',
    'from=now',
    'clientId=x&from=today',
    'clientId=x&from=2026-11-20',
    'clientId=x&from=2026-11-20T01:02:03%2B08:00',
    'clientId=x&from=now&from=now',
    'clientId=',
    'clientId=a&clientId=b',
    'clientId=websocket',
    'clientId=websocket:of+some+channels',
    'window=1&window=1',
    'fqcn=',
    'fqcn=a&fqcn=',
  ])('"%s" is refused', (query) => {
    expect(parseEventsQuery(new URLSearchParams(query))).toMatchObject({ ok: false });
  });
});
