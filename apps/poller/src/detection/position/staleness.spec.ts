import type { Weekday } from '@ssb/market';
import {
  pollAll,
  row,
  schemaProblems,
  settingsWith,
  summarise,
  type Poll,
} from '../../../test/support/positions.js';

const HOUR_MS = 3_600_000;
const staleAfter = (hours: number, days: readonly Weekday[] = [0, 1, 2, 3, 4, 5, 6]) =>
  settingsWith({ position: { staleAfterMs: hours * HOUR_MS, days } });
const WEEKDAYS: readonly Weekday[] = [1, 2, 3, 4, 5];

// 2 March 2026 is a Monday, 6 March a Friday.
it.each([
  ['at the end of the allowed time', '2026-03-02T10:00:00', '2026-03-02T12:00:00', staleAfter(2), undefined],
  ['after it', '2026-03-02T10:00:00', '2026-03-02T12:00:01', staleAfter(2), '2026-03-02T12:00:00'],
  [
    'with milliseconds',
    '2026-03-02T10:00:00.250',
    '2026-03-02T13:00:00',
    staleAfter(2),
    '2026-03-02T12:00:00.250',
  ],
  [
    'until midnight',
    '2026-03-06T22:00:00',
    '2026-03-07T00:00:01',
    staleAfter(2, WEEKDAYS),
    '2026-03-07T00:00:00',
  ],
  ['over a weekend', '2026-03-06T23:00:00', '2026-03-09T00:59:59', staleAfter(2, WEEKDAYS), undefined],
  [
    'after a weekend',
    '2026-03-06T23:00:00',
    '2026-03-09T01:00:01',
    staleAfter(2, WEEKDAYS),
    '2026-03-09T01:00:00',
  ],
  [
    'from a day off',
    '2026-03-07T10:00:00',
    '2026-03-09T02:00:01',
    staleAfter(2, WEEKDAYS),
    '2026-03-09T02:00:00',
  ],
  ['without any such day', '2026-03-02T10:00:00', '2026-03-20T02:00:01', staleAfter(2, []), undefined],
])('%s', (_, calculatedAt, now, settings, staleSince) => {
  const [polled] = pollAll([{ rows: [row(calculatedAt, '300000')], settings, now }]);
  const stale = polled?.facts.filter(({ type }) => type === 'settlementbus.position.stale.v1');
  expect(stale?.map(({ data }) => data)).toEqual(
    staleSince === undefined
      ? []
      : [
          {
            lastCalculatedAt: calculatedAt,
            lastTradingDay: '2026-03-02T00:00:00',
            allowedSeconds: 7_200,
            staleSince,
          },
        ],
  );
  expect(schemaProblems(polled?.facts ?? [])).toEqual([]);
});

it('a pause is announced once, and its end at the first new calculation', () => {
  const settings = staleAfter(2);
  const last = row('08:00:00', '300000');
  const polls = pollAll([
    { rows: [], settings },
    { rows: [last], settings },
    { rows: [last], settings },
    // A late calculation and a forecast end no pause.
    { rows: [row('07:00:00', '300000'), row('11:00:00', '300000', { isForecast: true })], settings },
    { rows: [row('11:30:00', '300000'), row('11:40:00', '300000')], settings },
  ]);
  const pauses = polls.map(({ facts }) => facts.filter(({ type }) => /stale|resumed/.test(type)));
  expect(pauses.map((facts) => facts.length)).toEqual([0, 1, 0, 0, 1]);
  expect(pauses.at(-1)?.[0]?.data).toEqual({
    lastCalculatedAt: '2026-03-02T08:00:00',
    lastTradingDay: '2026-03-02T00:00:00',
    allowedSeconds: 7_200,
    calculatedAt: '2026-03-02T11:30:00',
    tradingDay: '2026-03-02T00:00:00',
  });
  expect(schemaProblems(polls.flatMap(({ facts }) => facts))).toEqual([]);
});

it('without a calculation, a pause begins with the first poll', () => {
  const polls = pollAll([
    { rows: [], settings: staleAfter(2), now: '08:00:00' },
    { rows: [], settings: staleAfter(2), now: '10:00:01' },
    { rows: [row('10:20:00', '300000')], settings: staleAfter(2) },
  ]);
  const pause = {
    lastCalculatedAt: '2026-03-02T08:00:00',
    lastTradingDay: '2026-03-02T00:00:00',
    allowedSeconds: 7_200,
    neverCalculated: true,
  };
  const facts = polls.flatMap((poll) => poll.facts.filter(({ type }) => /stale|resumed/.test(type)));
  expect(facts.map(({ data }) => data)).toEqual([
    { ...pause, staleSince: '2026-03-02T10:00:00' },
    { ...pause, calculatedAt: '2026-03-02T10:20:00', tradingDay: '2026-03-02T00:00:00' },
  ]);
});

describe('pauses between calculations', () => {
  const settings = staleAfter(2);
  const at = (...times: string[]) => times.map((time) => row(time, '300000'));
  const NIGHT = '2026-03-02T23:00:00';

  it.each<[string, readonly Poll[], readonly (readonly string[])[]]>([
    [
      'that were not polled',
      [{ rows: at('05:00:00', '08:00:00'), settings }],
      [['stale 05:00:00', 'resumed 08:00:00', 'stale 08:00:00']],
    ],
    [
      'while the poller was down',
      [
        { rows: at('05:00:00'), settings, now: '06:00:00' },
        { rows: at('08:00:00', '09:00:00', '12:00:00'), settings },
        { rows: at('05:00:00', '08:00:00', '09:00:00', '12:00:00'), settings },
      ],
      [[], ['stale 05:00:00', 'resumed 08:00:00', 'stale 09:00:00', 'resumed 12:00:00'], []],
    ],
    [
      'after the calculation became part of the base',
      [
        { rows: at('05:00:00'), settings: staleAfter(200), now: '2026-03-09T06:00:00' },
        { rows: at('2026-03-09T07:00:00'), settings, now: '2026-03-09T08:00:00' },
      ],
      [[], ['stale 05:00:00', 'resumed 2026-03-09T07:00:00']],
    ],
    [
      'that a late calculation divides',
      [
        { rows: at('05:00:00', '11:00:00'), settings },
        { rows: at('08:00:00'), settings },
        { rows: at('06:00:00'), settings },
      ],
      [['stale 05:00:00', 'resumed 11:00:00'], ['stale 08:00:00', 'resumed 11:00:00'], []],
    ],
    [
      'that new settings do not allow: the coming ones only',
      [
        { rows: at('05:00:00', '08:00:00', '11:00:00'), settings: staleAfter(5) },
        { rows: at('12:30:00'), settings, now: '12:30:00' },
        { rows: at('20:00:00'), settings, now: '20:00:00' },
      ],
      [[], [], ['stale 12:30:00', 'resumed 20:00:00']],
    ],
    [
      // What was calculated in between is not known.
      'before the first day that is read',
      [
        { rows: at('05:00:00'), settings: staleAfter(2_000), now: '06:00:00' },
        { rows: at('2026-04-01T05:00:00'), settings, now: '2026-04-01T06:00:00', firstDay: '2026-03-18' },
      ],
      [[], []],
    ],
    [
      'while polls fail',
      [
        { rows: at('05:00:00'), settings, now: '06:00:00' },
        { rows: undefined, settings, now: '06:30:00' },
        { rows: undefined, settings, now: '07:30:00' },
        { rows: at('06:30:00', '09:00:00'), settings, now: '10:00:00' },
      ],
      [[], [], ['stale 05:00:00'], ['resumed 06:30:00', 'stale 06:30:00', 'resumed 09:00:00']],
    ],
    [
      'with forecasts only',
      [
        { rows: [row('05:00:00', '1', { isForecast: true })], settings, now: '08:00:00' },
        { rows: [row('07:00:00', '1', { isForecast: true })], settings, now: NIGHT },
        { rows: [], settings, now: NIGHT },
      ],
      [[], ['stale 08:00:00'], []],
    ],
    [
      // Calculations from before it show no end.
      'since a first poll that failed',
      [
        { rows: undefined, settings, now: '08:00:00' },
        { rows: undefined, settings, now: '10:00:01' },
        { rows: undefined, settings, now: '10:00:02' },
        { rows: at('06:30:00', '07:30:00'), settings, now: '10:10:00' },
        { rows: at('07:30:00', '10:15:00'), settings, now: '10:20:00' },
      ],
      [[], ['stale 08:00:00'], [], [], ['resumed 10:15:00']],
    ],
    [
      'since a first poll by a clock that was set back',
      [
        { rows: [], settings, now: '2026-03-05T08:00:00' },
        { rows: [], settings, now: '08:00:00' },
        { rows: [], settings, now: '10:00:01' },
      ],
      [[], [], ['stale 08:00:00']],
    ],
  ])('%s', (_, polls, expected) => {
    const results = pollAll(polls);
    const pauses = results.map(({ facts }) =>
      summarise(facts)
        .filter((text) => text.startsWith('position.'))
        .map((text) => text.replace('position.', '')),
    );
    expect(pauses).toEqual(expected);
    expect(schemaProblems(results.flatMap(({ facts }) => facts))).toEqual([]);
  });
});
