import {
  decodeMessage,
  isAfter,
  parseTimestampNanos,
  parseOffset,
  encodeMessage,
  toOffset,
} from './message-encoding.js';

describe('an offset in a stream', () => {
  it('is parsed as it was written', () => {
    expect(parseOffset(toOffset({ sequence: 7, createdAt: 1_767_225_600_123 }))).toEqual({
      sequence: 7,
      createdAt: 1_767_225_600_123,
    });
  });

  it.each([
    [{ createdAt: 1, sequence: 9 }, { createdAt: 1, sequence: 10 }, true],
    [{ createdAt: 1, sequence: 9 }, { createdAt: 1, sequence: 9 }, false],
    [{ createdAt: 1, sequence: 9 }, { createdAt: 2, sequence: 1 }, true],
    [{ createdAt: 2, sequence: 1 }, { createdAt: 1, sequence: 9 }, false],
  ])('%j is before %j: %s', (first, second, expected) => {
    expect(isAfter(second, first)).toBe(expected);
  });
});

describe('a timestamp of JetStream', () => {
  // Seconds by `date -u -d 2026-01-01 +%s`; the digits behind them by hand.
  it.each([
    ['2026-01-01T00:00:00Z', 1767225600000000000n],
    ['2026-01-01T00:00:00.1Z', 1767225600100000000n],
    ['2026-01-01T00:00:00.123456789Z', 1767225600123456789n],
    ['2026-01-01T00:00:00.000000001Z', 1767225600000000001n],
  ])('%s is %d ns', (text, nanos) => {
    expect(parseTimestampNanos(text)).toBe(nanos);
  });

  it('is refused in any other form', () => {
    expect(() => parseTimestampNanos('yesterday')).toThrow(RangeError);
  });
});

it.each(['c', undefined, 'ü\n"'])(
  'a stored message is decoded as it was sent, with the correlation id %j',
  (correlationId) => {
    const message = { topic: 't', sender: 'did:ethr:0x1', signature: '0x', payload: 'a\nb\u0000ü' };
    const sent = { ...message, ...(correlationId !== undefined && { correlationId }) };
    expect(decodeMessage(encodeMessage(sent))).toEqual(sent);
  },
);
