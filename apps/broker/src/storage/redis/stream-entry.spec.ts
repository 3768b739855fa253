import type { Position } from '../message-log.js';
import { nanosOf, toEntry, toFields } from './stream-entry.js';

describe('an entry of a stream', () => {
  // Worked by hand: milliseconds with six zeros, plus the number.
  it.each([
    ['1767225600123-0', 1767225600123000000n],
    ['1767225600123-7', 1767225600123000007n],
    ['1767225600123-999999', 1767225600123999999n],
    ['0-1', 1n],
  ])('%s was appended at %d ns', (id, nanos) => {
    expect(nanosOf(id as Position)).toBe(nanos);
  });

  it('has no other form of id', () => {
    expect(() => nanosOf('yesterday' as Position)).toThrow(RangeError);
  });

  it('comes back as it was written', () => {
    const message = { topic: 't', payload: '', signature: '0x', sender: 'did:ethr:0x1', correlationId: 'c' };
    expect(toEntry(['1-2', toFields(message)])).toEqual({
      ...message,
      position: '1-2',
      timestampNanos: 1000002n,
    });
  });
});
