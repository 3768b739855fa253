import { parseMarketDateTime } from '@ssb/market';
import {
  nextRequestAt,
  publicationKey,
  reasonAt,
  type Publication,
  type ScheduledRun,
} from './publication.js';
import { DEFAULT_SCHEDULE, type Schedule } from './schedule-settings.js';

/** WEM: commences on 9 March, statement on 12 March, invoice on 13 March. */
const RUN: ScheduledRun = {
  marketService: 'WEM',
  periodFrom: parseMarketDateTime('2026-03-01T00:00:00'),
  periodTo: parseMarketDateTime('2026-03-07T00:00:00'),
  designation: 'INITIAL',
  commencementDate: parseMarketDateTime('2026-03-09T00:00:00'),
  statementDate: parseMarketDateTime('2026-03-12T00:00:00'),
  invoiceDate: parseMarketDateTime('2026-03-13T00:00:00'),
};
const STEM: ScheduledRun = { ...RUN, marketService: 'STEM', commencementDate: null };
const SCHEDULE: Schedule = { participant: 'PART1', settings: DEFAULT_SCHEDULE };
const failed = (failures: number): Partial<Publication> => ({ failures });
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const at = (marketTime: string): Date => new Date(`${marketTime}+08:00`);
const missing = (lastRequestedAt?: string, changes: Partial<Publication> = {}): Publication => ({
  resource: 'statement',
  run: RUN,
  seenSince: undefined,
  lastRequestedAt: lastRequestedAt === undefined ? undefined : at(lastRequestedAt),
  ...changes,
});
const seen = (since: string, lastRequestedAt?: string): Publication =>
  missing(lastRequestedAt, { seenSince: at(since) });

describe('the reason of a request', () => {
  it.each<[string, Publication, string, string | undefined]>([
    ['before the commencement', missing(), '2026-03-08T23:59:59', 'early'],
    ['from the commencement', missing(), '2026-03-09T00:00:00', 'commenced'],
    ['one second before its day', missing(), '2026-03-11T23:59:59', 'commenced'],
    ['from the start of its day', missing(), '2026-03-12T00:00:00', 'due'],
    [
      'an invoice on the day of its statement',
      missing(undefined, { resource: 'invoice' }),
      '2026-03-12T12:00:00',
      'commenced',
    ],
    ['an invoice on its day', missing(undefined, { resource: 'invoice' }), '2026-03-13T00:00:00', 'due'],
    ['to the end of the seventh day after it', missing(), '2026-03-19T23:59:59', 'due'],
    ['later', missing(), '2026-03-20T00:00:00', 'long-overdue'],
    ['a year later', missing(), '2027-03-12T00:00:00', 'long-overdue'],
    ['STEM before the last trading day', missing(undefined, { run: STEM }), '2026-03-06T23:59:59', 'early'],
    ['STEM from the last trading day', missing(undefined, { run: STEM }), '2026-03-07T00:00:00', 'commenced'],
    [
      'a commencement after the statement: due counts',
      missing(undefined, { run: { ...RUN, commencementDate: parseMarketDateTime('2026-03-20T00:00:00') } }),
      '2026-03-12T00:00:00',
      'due',
    ],
    ['when it is there', seen('2026-03-12T10:00:00'), '2026-03-12T10:00:01', 'recheck'],
    ['when it was there before it was due', seen('2026-03-08T10:00:00'), '2026-03-12T10:00:00', 'recheck'],
  ])('%s', (_, publication, now, expected) => {
    expect(reasonAt(publication, SCHEDULE, at(now))).toBe(expected);
  });
});

describe('the time to the next request', () => {
  /** The least and the most; the jitter takes off up to a tenth. */
  it.each<[string, Publication, number, number]>([
    ['early: a day', missing('2026-03-01T12:00:00'), 0.9 * DAY, DAY],
    ['commenced: an hour', missing('2026-03-09T12:00:00'), 0.9 * HOUR, HOUR],
    ['due: half a minute', missing('2026-03-12T12:00:00'), 27 * SECOND, 30 * SECOND],
    ['overdue on the seventh day: half a minute', missing('2026-03-19T12:00:00'), 27 * SECOND, 30 * SECOND],
    ['overdue on the eighth day: five minutes', missing('2026-03-20T12:00:00'), 4.5 * MINUTE, 5 * MINUTE],
    ['overdue after two weeks: six hours', missing('2026-03-27T12:00:00'), 5.4 * HOUR, 6 * HOUR],
    ['seen today: an hour', seen('2026-03-12T10:00:00', '2026-03-12T12:00:00'), 0.9 * HOUR, HOUR],
    ['seen three days ago: a day', seen('2026-03-12T10:00:00', '2026-03-15T12:00:00'), 0.9 * DAY, DAY],
    ['early, failed: one minute', missing('2026-03-01T12:00:00', failed(1)), 0.9 * MINUTE, MINUTE],
    ['failed four times: eight minutes', missing('2026-03-01T12:00:00', failed(4)), 7.2 * MINUTE, 8 * MINUTE],
    ['failed for days: the normal interval', missing('2026-03-01T12:00:00', failed(99)), 0.9 * DAY, DAY],
    [
      'due, failed for days: half a minute',
      missing('2026-03-12T12:00:00', failed(99)),
      27 * SECOND,
      30 * SECOND,
    ],
  ])('%s', (_, publication, least, most) => {
    const last = publication.lastRequestedAt ?? new Date(0);
    const ms = (nextRequestAt(publication, SCHEDULE, last) ?? 0) - last.getTime();
    expect(ms).toBeGreaterThanOrEqual(least);
    expect(ms).toBeLessThanOrEqual(most);
  });

  it.each<[string, Publication, string, number]>([
    ['from early to commenced', missing('2026-03-08T23:00:00'), '2026-03-09T00:00:00', HOUR],
    ['from commenced to due', missing('2026-03-11T23:59:30'), '2026-03-12T00:00:00', 30 * SECOND],
    ['from early to due, after a long stop', missing('2026-03-08T12:00:00'), '2026-03-09T00:00:00', HOUR],
    [
      'from hourly to daily re-checks',
      seen('2026-03-12T10:00:00', '2026-03-15T09:59:00'),
      '2026-03-15T10:00:00',
      DAY,
    ],
  ])('begins anew within one interval: %s', (_, publication, start, most) => {
    const next = nextRequestAt(publication, SCHEDULE, publication.lastRequestedAt ?? new Date(0)) ?? 0;
    expect(next).toBeGreaterThanOrEqual(at(start).getTime());
    expect(next).toBeLessThan(at(start).getTime() + most);
  });

  it.each<[string, Publication]>([
    ['was never requested', missing()],
    ['was requested in the future, before the clock was set back', missing('2026-04-01T00:00:00')],
    ['is there, and was not requested since the start', seen('2026-02-12T10:00:00')],
  ])('is none when it %s', (_, publication) => {
    const now = at('2026-03-01T00:00:00');
    expect(nextRequestAt(publication, SCHEDULE, now)).toBe(now.getTime());
  });

  it('never comes after the end of the re-checks', () => {
    const settings = { ...DEFAULT_SCHEDULE, recheckIntervals: [{ untilAgeMs: DAY, intervalMs: HOUR }] };
    const publication = seen('2026-03-12T10:00:00', '2026-03-13T09:30:00');
    expect(nextRequestAt(publication, { ...SCHEDULE, settings }, at('2026-03-13T09:30:00'))).toBeUndefined();
    expect(
      nextRequestAt(seen('2026-03-12T10:00:00'), { ...SCHEDULE, settings }, at('2026-03-14T00:00:00')),
    ).toBeUndefined();
  });
});

it('a hundred participants request a due statement at different moments of half a minute', () => {
  const perSecond = new Map<number, number>();
  for (let index = 0; index < 100; index += 1) {
    const participant = `PART${index}`;
    const next = nextRequestAt(
      missing('2026-03-11T23:59:30'),
      { ...SCHEDULE, participant },
      at('2026-03-11T23:59:30'),
    );
    const second = Math.floor((next ?? 0) / SECOND);
    perSecond.set(second, (perSecond.get(second) ?? 0) + 1);
  }
  expect(perSecond.size).toBeGreaterThanOrEqual(20);
  expect(Math.max(...perSecond.values())).toBeLessThanOrEqual(10);
});

it('the key names the resource, the market, the period and the designation', () => {
  expect(publicationKey(missing())).toBe('statement:WEM|2026-03-01|INITIAL');
});
