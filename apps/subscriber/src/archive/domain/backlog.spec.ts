import {
  backlogBefore,
  decideTiming,
  findNewest,
  isPastOfBackfill,
  type BacklogFact,
  type SinceSources,
} from './backlog.js';

const SINCE = Date.parse('2026-03-02T00:00:00Z');
const BREACH: BacklogFact = {
  type: 'settlementbus.margin.breached.v1',
  publishedBy: SINCE - 1,
  announcesProblem: true,
  isNewest: true,
  isPast: false,
};

describe('decideTiming', () => {
  it.each<[string, Partial<BacklogFact>, string]>([
    ['a fact at alertsSince', { publishedBy: SINCE }, 'now'],
    ['an older breach that is the newest of its subject', {}, 'held'],
    ['an older breach that another event followed', { isNewest: false }, 'none'],
    ['an older breach of a past range', { isPast: true }, 'none'],
    ['an older recovery', { type: 'settlementbus.margin.restored.v1', announcesProblem: false }, 'none'],
    ['an older statement', { type: 'settlementbus.statement.published.v1', announcesProblem: false }, 'none'],
    ['an older operational alert', { type: 'settlementbus.bridge.alert.raised.v1' }, 'now'],
    ['a fact of an unknown time', { publishedBy: NaN, isNewest: false }, 'now'],
  ])('%s', (_, change, expected) => {
    expect(decideTiming({ ...BREACH, ...change }, SINCE)).toBe(expected);
  });

  it('has no backlog when alertsSince is unknown', () => {
    expect(decideTiming(BREACH, Number.NEGATIVE_INFINITY)).toBe('now');
  });
});

describe('backlogBefore', () => {
  const LATE_MS = 3_600_000;
  const at = (ms: number) => new Date(SINCE + ms);
  const STORED = { configured: undefined, stored: at(0), isConfigured: true };
  it.each<[string, Partial<SinceSources>, number]>([
    ['the stored time', {}, SINCE],
    ['the configured time', { configured: at(-5), quarantinedAt: at(-9) }, SINCE - 5],
    ['earlier for a participant seen by its first fact', { isConfigured: false }, SINCE - LATE_MS],
    ['before the quarantine of a released fact', { quarantinedAt: at(-7) }, SINCE - 7 - LATE_MS],
    ['not after the stored time', { quarantinedAt: at(2 * LATE_MS) }, SINCE],
    ['unknown without a stored time', { stored: undefined }, Number.NEGATIVE_INFINITY],
  ])('is %s', (_, change, expected) => {
    expect(backlogBefore({ ...STORED, ...change }, LATE_MS)).toBe(expected);
  });
});

it('findNewest gives the last of the highest sequence, and none for a subject that has a later event', () => {
  const events = [
    { id: 'a1', subject: 'a', sequence: '1' },
    { id: 'a3', subject: 'a', sequence: '3' },
    { id: 'a2', subject: 'a', sequence: '2' },
    { id: 'b1', subject: 'b', sequence: '1' },
    { id: 'c0', subject: 'c', sequence: '0' },
    { id: 'c0-again', subject: 'c', sequence: '0' },
  ];
  const newest = findNewest(
    events,
    new Map([
      ['b', '2'],
      ['c', '0'],
    ]),
  );
  expect([...newest.values()].map(({ id }) => id)).toEqual(['a3', 'c0-again']);
});

it.each([
  [true, 15, true],
  [true, 13, false],
  [false, 15, false],
  [true, NaN, false],
])('backfilled %s, %d days old: of the past %s', (isBackfilled, days, expected) => {
  const now = new Date('2026-03-02T00:00:00Z');
  expect(isPastOfBackfill(isBackfilled, now.getTime() - days * 86_400_000, now)).toBe(expected);
});
