import { createFactEvent, eventId } from './event.js';
import { DETECTION, FACTS, PARTICIPANT } from '../test/sample-events.js';

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

  it('differs when a letter or its case differs, or text moves from one part to the next', () => {
    const cuts: [string, string, string, string][] = [
      ['AB', 'cd', 'ef', '1'],
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

const TYPE = 'settlementbus.statement.published.v1';
const STATEMENT = FACTS[TYPE];
const create = (change: object = {}, participant = PARTICIPANT) =>
  createFactEvent({ type: TYPE, data: { ...STATEMENT, ...change } }, participant, DETECTION);

it('escapes the participant in the source URN', () => {
  const { source, subject } = create({}, 'A:B/C');
  expect([source, subject]).toEqual(['urn:settlement-bus-bridge:A%3AB%2FC', 'A:B/C/WEM/2026-03-01/INITIAL']);
});

it('an event is frozen, and marked when a backfill raised it', () => {
  expect(Object.isFrozen(create())).toBe(true);
  const detection = { ...DETECTION, backfilled: true } as const;
  expect(createFactEvent({ type: TYPE, data: STATEMENT }, PARTICIPANT, detection)).toEqual({
    ...create(),
    backfilled: true,
  });
});

it('throws for an invalid time of detection', () => {
  const detection = { ...DETECTION, detectedAt: new Date('never') };
  expect(() => createFactEvent({ type: TYPE, data: STATEMENT }, PARTICIPANT, detection)).toThrow(RangeError);
});
