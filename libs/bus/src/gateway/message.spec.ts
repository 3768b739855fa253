import {
  MalformedMessageError,
  parseMessageJson,
  parseMessages,
  serialiseMessage,
  serialiseMessages,
  toMessages,
  type Message,
} from './message.js';

const message: Message = {
  id: 'm1',
  fqcn: 'a.channels.b.apps.c.iam.d',
  topic: 't',
  payload: '{}',
  signature: '0x00',
  sender: 'did:ethr:0x0000000000000000000000000000000000000001',
  timestampNanos: 1_763_600_702_123_456_789n,
  transactionId: 'x',
};
const TEXT =
  '{"id":"m1","fqcn":"a.channels.b.apps.c.iam.d","topic":"t","payload":"{}","signature":"0x00","sender":"did:ethr:0x0000000000000000000000000000000000000001","transactionId":"x","timestampNanos":1763600702123456789}';

describe('a message as JSON text', () => {
  it('has every digit of its nanoseconds in a JSON number', () => {
    expect(serialiseMessage(message)).toBe(TEXT);
    expect(serialiseMessages([])).toBe('[]');
    expect(serialiseMessages([message, message])).toBe(`[${TEXT},${TEXT}]`);
  });

  it.each([
    ['alone', TEXT, 1],
    ['in a list', `[${TEXT}, ${TEXT}]`, 2],
    [
      'with its nanoseconds first and white space',
      TEXT.replace('{"id"', '{ "timestampNanos" :\n 1763600702123456789 , "id"').replace(
        /,"timestampNanos":\d+/,
        '',
      ),
      1,
    ],
  ])('is parsed %s with every digit', (_name, text, count) => {
    expect(parseMessages(text)).toEqual(Array.from({ length: count }, () => message));
  });

  it('is parsed when another implementation quotes its nanoseconds', () => {
    expect(parseMessages(TEXT.replace('1763600702123456789', '"1763600702123456789"'))).toEqual([message]);
  });

  it.each([
    ['1763600702123456800', 1_763_600_702_123_456_800n],
    // The double that these denote.
    ['1.7636007021234568e18', 1_763_600_702_123_456_768n],
    ['1.7636007021234568e+18', 1_763_600_702_123_456_768n],
    ['1763600702123456800.0', 1_763_600_702_123_456_768n],
  ])('is parsed when another implementation rounds its nanoseconds to %s', (digits, timestampNanos) => {
    expect(parseMessages(TEXT.replace('1763600702123456789', digits))).toEqual([
      { ...message, timestampNanos },
    ]);
  });

  it('is parsed when another implementation sends null for absent fields, or a number as the id', () => {
    const given = { ...message, id: 7, fqcn: null, topic: null, transactionId: null };
    const value = parseMessageJson(serialiseMessage(given));
    expect(toMessages([value], { fqcn: message.fqcn })).toEqual([
      { ...message, id: '7', topic: undefined, transactionId: undefined },
    ]);
    expect(() => toMessages({ ...given, payload: null }, { fqcn: 'c' })).toThrow(MalformedMessageError);
    expect(() => toMessages({ ...given, id: 2 ** 53 }, { fqcn: 'c' })).toThrow(MalformedMessageError);
  });

  // A payload that contains text like a timestamp must not change.
  it.each([
    '{"timestampNanos":1}',
    '{"timestampNanos": 123456789012345678901234567890}',
    ',"timestampNanos":5,',
    '"timestampNanos":5}',
    '\\{"timestampNanos":7}',
    '\\',
    '{\n"timestampNanos":\n9 }',
    '\u2028{"timestampNanos":1}',
  ])('keeps the payload %j unchanged', (payload) => {
    const hostile = { ...message, payload };
    expect(parseMessages(serialiseMessage(hostile))).toEqual([hostile]);
    expect(parseMessages(serialiseMessages([hostile, hostile]))).toEqual([hostile, hostile]);
  });

  it.each([
    ['not JSON', '{'],
    ['a text', '"a"'],
    ['without an id', TEXT.replace('"id":"m1",', '')],
    ['without nanoseconds', TEXT.replace(/,"timestampNanos":\d+/, '')],
    ['with a fraction of a nanosecond', TEXT.replace('1763600702123456789', '1.5')],
    ['with negative nanoseconds', TEXT.replace('1763600702123456789', '-1')],
    ['with a payload that is not a text', TEXT.replace('"payload":"{}"', '"payload":{}')],
  ])('is refused when it is %s', (_name, text) => {
    expect(() => parseMessages(text)).toThrow(MalformedMessageError);
  });
});
