import { toMilliseconds } from '../../domain/nanoseconds.js';
import { nextPage, type Page, type PageLimits, type PageRead } from './next-page.js';

interface Stored {
  readonly id: number;
  readonly nanos: bigint;
}

/** How a gateway responds. Document 002 leaves all of this open. */
interface Behaviour {
  /** It returns at most this many, without a sign of it. */
  readonly maxAmount?: number;
  /** It continues after what it returned before, and ignores the time. */
  readonly keepsOffset?: boolean;
  /** It rounds times to doubles. */
  readonly rounds?: boolean;
  /** It reads whole seconds. */
  readonly readsSeconds?: boolean;
  /** It returns the oldest messages for any time. */
  readonly ignoresTime?: boolean;
  /** It returns the newest messages. */
  readonly newestFirst?: boolean;
  /** Messages that arrive with each read, at most `arriving` in all. */
  readonly arriving?: number;
  /** Numbers of messages that are malformed. */
  readonly malformed?: readonly number[];
}

const LIMITS: PageLimits = { initialAmount: 4, maxAmount: 16 };
const START = 1_763_600_702_000_000_000n;
const MS = 1_000_000n;

/** Reads a channel as the catch-up does. */
function readAll(times: readonly bigint[], behaviour: Behaviour = {}) {
  const { maxAmount = Infinity, rounds = false, arriving = 0, malformed = [] } = behaviour;
  const channel: Stored[] = times.map((nanos, id) => ({ id, nanos }));
  const known = new Set<number>();
  const gaps: number[] = [];
  let offset = 0;
  let requests = 0;
  let read: PageRead = { fromMs: 0, amount: LIMITS.initialAmount };
  const respond = (): Stored[] => {
    const shown = channel.map((each) => (rounds ? { ...each, nanos: BigInt(Number(each.nanos)) } : each));
    const fromMs = behaviour.readsSeconds ? Math.floor(read.fromMs / 1_000) * 1_000 : read.fromMs;
    const amount = Math.min(read.amount, maxAmount);
    const found = channel.findIndex(({ nanos }) => toMilliseconds(nanos) >= fromMs);
    const first = behaviour.ignoresTime ? 0 : found < 0 ? channel.length : found;
    if (behaviour.newestFirst) return shown.slice(first).slice(-amount);
    const start = behaviour.keepsOffset ? offset : first;
    const page = shown.slice(start, start + amount);
    offset = start + page.length;
    return page;
  };
  for (;;) {
    requests += 1;
    if (requests > 10 * (times.length + 10)) throw new Error('The reading does not end.');
    if (requests <= arriving) {
      const last = channel.at(-1)?.nanos ?? START;
      channel.push({ id: channel.length, nanos: last + 3n * MS });
    }
    const page = respond();
    const newCount = page.filter(({ id }) => !known.has(id)).length;
    const wellFormed = page.filter(({ id }) => !malformed.includes(id));
    const isMalformed = wellFormed.length === 0 && page.length > 0;
    const nanos = (isMalformed ? page : wellFormed).map((each) => each.nanos);
    const received = { ...pageOf(read.amount, page.length, nanos), newCount, isMalformed };
    const step = nextPage(read, received, LIMITS);
    for (const { id } of page) known.add(id);
    if (step.kind === 'gap') gaps.push(step.gapMs);
    if (step.kind === 'end' || step.kind === 'stuck')
      return { known, gaps, requests, length: channel.length, kind: step.kind };
    read = step.read;
  }
}

/** A page with these times. */
function pageOf(amount: number, count: number, nanos: readonly bigint[]): Page {
  const sorted = [...nanos].toSorted((a, b) => Number(a - b));
  const [firstNanos, lastNanos] = [sorted[0], sorted.at(-1)];
  const times = { firstNanos, lastNanos, greatestNanos: lastNanos, isAhead: false };
  return { amount, count, hasMore: false, newCount: count, isMalformed: false, ...times };
}

const spread = (count: number, stepNanos: bigint): bigint[] =>
  Array.from({ length: count }, (_, at) => START + BigInt(at) * stepNanos);
const same = (count: number, nanos = START): bigint[] => Array<bigint>(count).fill(nanos);

const TIMELINES: Record<string, readonly bigint[]> = {
  'an empty channel': [],
  'one message': same(1),
  'a short page': spread(3, MS),
  'exactly one page': spread(4, 5n * MS),
  'many pages': spread(50, 2n * MS),
  'times between milliseconds': spread(40, 700_001n),
  'a page of one time': same(4),
  'pages of one time': [...same(8), ...spread(9, MS)],
  'one time beyond the first page': [START - 9n * MS, ...same(15)],
  'equal times at the end of a page': [...spread(3, MS), ...same(9, START + 2n * MS), START + 60n * MS],
  'a time that a double rounds up': [START + 999_990n, START + 999_991n, START + 2n * MS],
};
const BEHAVIOURS: Record<string, Behaviour> = {
  'as document 002': {},
  'which rounds times': { rounds: true },
  'which keeps an offset': { keepsOffset: true },
  'which keeps an offset and returns few': { keepsOffset: true, maxAmount: 3 },
  'on which messages keep arriving': { arriving: 12 },
};

describe.each(Object.entries(BEHAVIOURS))('a gateway %s', (_, behaviour) => {
  it.each(Object.entries(TIMELINES))('returns %s completely, without a gap', (_name, times) => {
    const { known, gaps, length } = readAll(times, behaviour);
    expect(known.size).toBe(length);
    expect(gaps).toEqual([]);
  });
});

describe.each<[string, Behaviour]>([
  ['ignores the time', { ignoresTime: true }],
  ['returns the newest messages', { newestFirst: true }],
])('a gateway that %s', (_, behaviour) => {
  it('returns a channel completely that fits into one page', () => {
    const { known, gaps, kind } = readAll(spread(15, 7n * MS), behaviour);
    expect([known.size, gaps, kind]).toEqual([15, [], 'end']);
  });

  it('cannot be read where the channel has more, and this is not the end', () => {
    expect(readAll(spread(100, 7n * MS), behaviour)).toMatchObject({ gaps: [], kind: 'stuck' });
  });
});

it.each([[[2]], [[0, 1, 2]], [[2, 3, 4, 5]], [[0, 5]]])(
  'regards no message as missing where those with numbers %j are malformed',
  (malformed) => {
    const { known, gaps, kind } = readAll(spread(6, 3n * MS), { malformed });
    expect([known.size, gaps, kind]).toEqual([6, [], 'end']);
    expect(readAll(spread(3, 3n * MS), { malformed })).toMatchObject({ gaps: [], kind: 'end' });
  },
);

it('reads a gateway that reads whole seconds, up to the largest page in a second', () => {
  const { known, gaps, kind } = readAll(spread(100, 140n * MS), { readsSeconds: true });
  expect([known.size, gaps, kind]).toEqual([100, [], 'end']);
  expect(readAll(spread(100, 10n * MS), { readsSeconds: true }).kind).toBe('stuck');
});

describe('a gateway that returns fewer messages than requested', () => {
  it.each(
    Object.entries(TIMELINES).filter(([, times]) => new Set(times.map(toMilliseconds)).size === times.length),
  )('returns %s completely', (_, times) => {
    const { known, gaps, length } = readAll(times, { maxAmount: 3 });
    expect(known.size).toBe(length);
    expect(gaps).toEqual([]);
  });
});

it.each([
  ['more messages of one time than the largest page', 17, {}],
  ['more messages of one time than the gateway returns', 6, { maxAmount: 5 }],
])('reports %s, and reads on', (_, count, behaviour) => {
  const later = [START + 5n * MS, START + 9n * MS];
  const { known, gaps, length } = readAll([START - MS * 9n, ...same(count), ...later], behaviour);
  expect(gaps).toEqual([toMilliseconds(START)]);
  expect(known.has(length - 1) && known.has(length - 2)).toBe(true);
  expect(known.size).toBeLessThan(length);
});

it('requests as few pages as it can', () => {
  expect(readAll([]).requests).toBe(1);
  expect(readAll(same(1)).requests).toBe(2);
  expect(readAll(spread(40, 5n * MS)).requests).toBeLessThan(18);
});

describe('a page of malformed messages without a time', () => {
  const read: PageRead = { fromMs: 7, amount: 4 };

  it('is enlarged up to the limit, and then no page can follow', () => {
    expect(nextPage(read, pageOf(4, 4, []), LIMITS)).toMatchObject({
      kind: 'read',
      read: { fromMs: 7, amount: 8 },
    });
    expect(nextPage(read, pageOf(16, 16, []), LIMITS)).toEqual({ kind: 'stuck' });
  });

  it('is the last one if it is short', () => {
    expect(nextPage(read, pageOf(4, 3, []), LIMITS)).toEqual({ kind: 'end' });
  });
});

it('reads on where the gateway says that it left out messages', () => {
  const page = { ...pageOf(16, 1, [START]), hasMore: true };
  expect(nextPage({ fromMs: 0, amount: 16 }, page, LIMITS)).toMatchObject({
    kind: 'read',
    read: { fromMs: toMilliseconds(START - 1_000n), amount: 16 },
  });
});

it('regards a message in the future, which each page repeats, as no gap', () => {
  const [first, future] = [START, START + 3_600_000n * MS];
  const probed = nextPage({ fromMs: 0, amount: 4 }, pageOf(4, 1, [first]), LIMITS);
  if (probed.kind !== 'read') throw new Error(probed.kind);
  const resumed = nextPage(probed.read, { ...pageOf(4, 1, [future]), isAhead: true }, LIMITS);
  if (resumed.kind !== 'read') throw new Error(resumed.kind);
  const both = { ...pageOf(4, 2, [first, future]), lastNanos: first, newCount: 0 };
  const again = nextPage(resumed.read, both, LIMITS);
  if (again.kind !== 'read') throw new Error(again.kind);
  expect(nextPage(again.read, { ...pageOf(4, 1, [future]), newCount: 0, isAhead: true }, LIMITS)).toEqual({
    kind: 'end',
  });
});
