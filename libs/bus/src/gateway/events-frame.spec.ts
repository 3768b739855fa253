import { parseEventsFrame } from './events-frame.js';

const MESSAGE =
  '{"id":"1","fqcn":"c","payload":"p","signature":"s","sender":"d","timestampNanos":1763600702123456789}';

describe('a frame of /events', () => {
  it.each([
    ['one message', MESSAGE, { kind: 'messages', messages: [expect.objectContaining({ id: '1' })] }],
    ['a list', `[${MESSAGE}]`, { kind: 'messages', messages: [expect.objectContaining({ id: '1' })] }],
    ['an empty list', '[]', { kind: 'messages', messages: [] }],
    [
      'a failed send',
      '{"transactionId":"t","err":{"code":"BUS::X","reason":"r"}}',
      { kind: 'failed', transactionId: 't', err: { code: 'BUS::X', reason: 'r' } },
    ],
    [
      'an error',
      '{"err":{"code":"BUS::X","reason":"r"}}',
      { kind: 'failed', err: { code: 'BUS::X', reason: 'r' } },
    ],
    [
      'a gap',
      '{"gap":{"fqcn":"c","after":"1","upTo":"3"}}',
      { kind: 'gap', gap: { fqcn: 'c', after: '1', upTo: '3' } },
    ],
    ['a sent message', '{"transactionId":"t","id":"1"}', { kind: 'sent', transactionId: 't', id: '1' }],
  ])('is parsed: %s', (_name, text, frame) => {
    expect(parseEventsFrame(text)).toEqual(frame);
  });

  it.each(['', '5', '{}', '{"err":{}}', '{"id":"1","fqcn":"c"}'])('is refused: %p', (text) => {
    expect(() => parseEventsFrame(text)).toThrow();
  });
});
