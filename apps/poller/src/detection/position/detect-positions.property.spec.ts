import { precedenceOf, type Fact } from '@ssb/events';
import type { PrudentialCalculation } from '@ssb/market';
import type { DetectionSettings } from '@ssb/config';
import fc from 'fast-check';
import { TOPICS } from './levels/change.js';
import {
  amount,
  eventOf,
  pollAll,
  row,
  schemaProblems,
  settingsWith,
  type Polled,
} from '../../../test/support/positions.js';
import { formatPositionState, parsePositionState } from './position-state-schema.js';
import { EMPTY_POSITION } from './detect-positions.js';

/** All calculations that the operator performed in one second. */
type Second = readonly PrudentialCalculation[];

const MINUTES_A_DAY = 1_440;
const minuteOf = (minute: number): string =>
  new Date(Date.UTC(2026, 2, 2) + minute * 60_000).toISOString().slice(0, 19);

const margin = fc.constantFrom(
  '300000',
  '255000',
  '249999.99',
  '105000',
  '99999.99',
  '-1',
  '-500',
  '-9999999',
);
const actual = fc.record({
  tradingMargin: margin,
  creditSupport: fc.constantFrom('1', '2', '3'),
  creditLimit: fc.constantFrom('2', '2.00'),
});

/** Up to two actual calculations and a run of forecasts. */
const second = (minute: number): fc.Arbitrary<Second> =>
  fc
    .record({
      actuals: fc.array(actual, { maxLength: 2 }),
      forecasts: fc.array(margin, { maxLength: 3 }),
    })
    .map(({ actuals, forecasts }) => [
      ...actuals.map((amounts) => row(minuteOf(minute), amounts)),
      ...forecasts.map((tradingMargin, index) =>
        row(minuteOf(minute), tradingMargin, {
          tradingDay: minuteOf(minute + (index + 1) * MINUTES_A_DAY).slice(0, 10),
          isForecast: true,
        }),
      ),
    ]);

const secondsOf = (spacing: fc.Arbitrary<number>): fc.Arbitrary<readonly Second[]> =>
  fc
    .tuple(fc.uniqueArray(fc.nat(700), { minLength: 1, maxLength: 12 }), spacing)
    .chain(([places, minutes]) =>
      fc.tuple(...places.toSorted((a, b) => a - b).map((place) => second(place * minutes))),
    );
const HALF_A_DAY = secondsOf(fc.constant(1));
/** The oldest become part of the base. */
const WEEKS = secondsOf(fc.constant(60));

const settings: fc.Arbitrary<DetectionSettings> = fc
  .record({
    step: fc.constantFrom('0', '400', '1000'),
    minDurationMs: fc.constantFrom(0, 0, 1_800_000),
    method: fc.constantFrom('linear' as const, 'none' as const),
    staleAfterMs: fc.constantFrom(100 * 86_400_000, 7_200_000),
  })
  .map(({ step, minDurationMs, method, staleAfterMs }) =>
    settingsWith({
      position: { staleAfterMs },
      margin: { deepeningStep: amount(step), minDurationMs },
      forecast: { horizonDays: 3, trend: { method, calculations: 4, minSpanMs: 0 } },
    }),
  );

/** A pause before the first calculation begins with a poll, and not with a calculation. */
const factsOf = (polled: readonly Polled[]): Fact[] =>
  polled.flatMap(({ facts }) => facts.filter(({ data }) => !('neverCalculated' in data)));
const idsOf = (facts: readonly Fact[]): string[] => facts.map((fact) => eventOf(fact).id).sort();
const SEED = { seed: 16, numRuns: 20 };

it('any number of polls raises the events of one response, each once, also after restarts', () => {
  const cuts = fc.array(fc.nat(12), { maxLength: 6 });
  fc.assert(
    fc.property(fc.oneof(HALF_A_DAY, WEEKS), cuts, settings, (served, ends, chosen) => {
      const lengths = [...ends.filter((end) => end < served.length), served.length].sort((a, b) => a - b);
      const polls = lengths.map((length) => {
        const rows = served.slice(0, length).flat();
        return { rows, settings: chosen, now: rows.at(-1)?.calculatedAt ?? '00:00:00' };
      });
      const polled = pollAll(polls.flatMap((poll) => [poll, poll]));
      const facts = factsOf(polled);
      const once = factsOf(pollAll(polls.slice(-1)));
      expect(idsOf(facts)).toEqual(idsOf(once));
      expect(schemaProblems(facts)).toEqual([]);
      expect(polled.filter((_, index) => index % 2 === 1).flatMap((repeated) => repeated.facts)).toEqual([]);
    }),
    SEED,
  );
});

it('a poll that brings nothing new decides as a replay does', () => {
  const later = fc.constantFrom('2026-03-02T12:30:00', '2026-03-05T00:00:00', '2026-04-10T00:00:00');
  fc.assert(
    fc.property(fc.oneof(HALF_A_DAY, WEEKS), settings, settings, later, (served, chosen, changed, end) => {
      const rows = served.flat();
      const start = rows.at(-1)?.calculatedAt ?? '2026-03-02T00:00:00';
      const now = end > start ? end : start;
      const [first] = pollAll([{ rows, settings: chosen, now: start }]);
      if (first === undefined) throw new Error('no state');
      for (const next of [chosen, changed]) {
        const poll = { rows, settings: next, now };
        const [polled] = pollAll([poll], first.state);
        expect([polled]).toEqual(pollAll([poll], { ...first.state, isSettled: false }));
      }
    }),
    SEED,
  );
});

it('an interruption after the changed levels were queued raises nothing twice, and loses nothing', () => {
  fc.assert(
    fc.property(fc.oneof(HALF_A_DAY, WEEKS), fc.nat(0xfff), settings, (served, known, chosen) => {
      const rows = served.flat();
      const now = rows.at(-1)?.calculatedAt ?? '2026-03-02T00:00:00';
      const poll = { rows, settings: chosen, now };
      const isKnown = (_: Second, index: number): boolean => (known & (1 << index)) !== 0;
      const [before] = pollAll([{ ...poll, rows: served.filter(isKnown).flat() }]);
      const [whole] = pollAll([poll], before?.state);
      const levels = whole?.facts.filter((fact) => precedenceOf(fact) === 0) ?? [];
      const saved = parsePositionState(formatPositionState(whole?.announcedState ?? EMPTY_POSITION));
      const [failed, again] = pollAll([{ ...poll, rows: undefined }, poll], saved);
      expect(failed?.facts.filter((fact) => precedenceOf(fact) === 0)).toEqual([]);
      expect(idsOf([...levels, ...(failed?.facts ?? []), ...(again?.facts ?? [])])).toEqual(
        idsOf(whole?.facts ?? []),
      );
      expect(again?.state.log).toEqual(whole?.state.log);
    }),
    { ...SEED, numRuns: 25 },
  );
});

/** The level that a subscriber has: that of the event with the highest sequence, among equals the one raised last. */
function levelsAtSubscriber(facts: readonly Fact[]): Map<string, string> {
  const events = facts
    .map(eventOf)
    .filter(({ data }) => 'level' in data)
    .sort((a, b) => (a.sequence < b.sequence ? -1 : Number(a.sequence > b.sequence)));
  return new Map(events.map(({ subject, data }) => [subject, (data as { level: string }).level]));
}

const SUBJECTS = {
  margin: ['ALPHA/prudential', 'OK'],
  'credit-support': ['ALPHA/credit-support', 'SUFFICIENT'],
  'forecast-operator': ['ALPHA/margin-forecast/operator', 'CLEAR'],
  'forecast-trend': ['ALPHA/margin-forecast/trend', 'CLEAR'],
} as const;

/** One calculation a second, so that the order of sequences is that of the calculations. */
const single: fc.Arbitrary<readonly Second[]> = HALF_A_DAY.map((served) =>
  served.map((rows) => {
    const [first, ...others] = rows;
    return first === undefined ? [] : [first, ...others.filter(({ isForecast }) => isForecast)];
  }),
);

it('calculations in any order lack no event of one response, and end at its levels', () => {
  const shuffled = single.chain((served) =>
    fc.shuffledSubarray([...served], { minLength: served.length, maxLength: served.length }),
  );
  fc.assert(
    fc.property(shuffled, settings, (served, chosen) => {
      const polls = served.map((_, index) => ({
        rows: served.slice(0, index + 1).flat(),
        settings: chosen,
        now: '2026-03-02T23:00:00',
      }));
      const polled = pollAll(polls);
      const facts = factsOf(polled);
      const [once] = pollAll(polls.slice(-1));
      const ids = idsOf(facts);
      expect(new Set(ids).size).toBe(ids.length);
      const { minDurationMs, deepeningStep } = chosen.margin;
      if (minDurationMs === 0 && deepeningStep.kind === 'amount' && deepeningStep.amount === '0')
        expect(idsOf(once?.facts ?? []).filter((id) => !ids.includes(id))).toEqual([]);
      const levels = levelsAtSubscriber(facts);
      const expected = levelsAtSubscriber(once?.facts ?? []);
      for (const topic of TOPICS) {
        const [subject, initial] = SUBJECTS[topic];
        expect([topic, levels.get(subject) ?? initial]).toEqual([topic, expected.get(subject) ?? initial]);
      }
    }),
    SEED,
  );
});
