import { createHash } from 'node:crypto';
import { eventId } from './event-id.js';

describe('eventId', () => {
  // Expected values from Python: uuid.UUID(bytes=hashlib.sha256(b'5:typeA…').digest()[:16], version=4).
  it.each([
    [
      'settlementbus.statement.published.v1',
      'PARTICIPANT',
      'WEM|2026-03-01|INITIAL',
      '1234',
      '780c3e8d-633e-4c3e-b6ca-ef014bc16af3',
    ],
    ['typ', 'Zürich', 'ключ', '1', '7db4121a-e0e8-4cd7-acc6-739066dffc9d'],
    ['', '', '', '', '8538098a-725a-4ce2-a400-276987f13475'],
  ])('gives the expected UUID for %s, %s, %s, %s', (type, participant, naturalKey, version, expected) => {
    expect(eventId(type, participant, naturalKey, version)).toBe(expected);
  });

  it('is the hash of the length-prefixed parts, except for the six bits that a version-4 UUID fixes', () => {
    const digest = createHash('sha256').update('1:a2:bb3:ccc4:dddd').digest('hex');
    const free = (hex: string) => BigInt(`0x${hex}`) & ~((0xfn << 76n) | (0x3n << 62n));
    const id = eventId('a', 'bb', 'ccc', 'dddd').replaceAll('-', '');
    expect(free(id)).toBe(free(digest.slice(0, 32)));
  });

  it('is the same for the same fact, and always a version-4 UUID (RFC 9562 §5.4)', () => {
    for (let run = 0; run < 300; run += 1) {
      const id = eventId('type', 'ALPHA', 'key', String(run));
      expect(id).toBe(eventId('type', 'ALPHA', 'key', String(run)));
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    }
  });

  it.each([
    ['the type', ['T', 'ALPHA', 'key', '1']],
    ['the participant', ['type', 'BETA', 'key', '1']],
    ['the natural key', ['type', 'ALPHA', 'other', '1']],
    ['the version', ['type', 'ALPHA', 'key', '2']],
    ['the case of one letter', ['type', 'ALPHa', 'key', '1']],
  ] as [string, [string, string, string, string]][])('differs when %s differs', (_, parts) => {
    expect(eventId(...parts)).not.toBe(eventId('type', 'ALPHA', 'key', '1'));
  });

  it('differs when text moves from one part to the next, lengths and separators included', () => {
    const cuts: [string, string, string, string][] = [
      ['ab', 'cd', 'ef', '1'],
      ['abc', 'd', 'ef', '1'],
      ['a', 'bcd', 'ef', '1'],
      ['ab', 'cde', 'f', '1'],
      ['ab', 'cd', 'e', 'f1'],
      ['abcdef1', '', '', ''],
      ['', '', '', 'abcdef1'],
      // Parts that contain the length prefixes and separators themselves.
      ['ab2:cd', '', 'ef', '1'],
      ['ab', '2:cd', 'ef', '1'],
      ['ab2:cd2:ef1:1', '', '', ''],
      ['ab|cd', '', 'ef', '1'],
      ['ab', '|cd', 'ef', '1'],
      ['ab', 'cd|ef', '', '1'],
      ['ab', 'cd', 'ef|1', ''],
    ];
    expect(new Set(cuts.map((parts) => eventId(...parts))).size).toBe(cuts.length);
  });
});
