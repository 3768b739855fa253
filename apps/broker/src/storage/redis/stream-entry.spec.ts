import type { Offset } from '../message-log.js';
import { toNanos, toEntry, toFields } from './stream-entry.js';

describe('an entry of a stream', () => {
  // By hand: milliseconds with six zeros, plus the sequence.
  it.each([
    ['1767225600123-0', 1767225600123000000n],
    ['1767225600123-7', 1767225600123000007n],
    ['1767225600123-999999', 1767225600123999999n],
    ['0-1', 1n],
  ])('%s was appended at %d ns', (id, nanos) => {
    expect(toNanos(id as Offset)).toBe(nanos);
  });

  it('is refused with any other form of id', () => {
    expect(() => toNanos('yesterday' as Offset)).toThrow(RangeError);
  });

  it('is decoded as it was written', () => {
    const message = { topic: 't', payload: '', signature: '0x', sender: 'did:ethr:0x1', correlationId: 'c' };
    expect(toEntry(['1-2', toFields(message)])).toEqual({
      ...message,
      offset: '1-2',
      timestampNanos: 1000002n,
    });
  });
});
