import {
  amount,
  forecast,
  pollAll,
  row,
  schemaProblems,
  settingsWith,
  summarise,
  type Poll,
} from '../../../../test/support/positions.js';

const trend = settingsWith({
  forecast: { horizonDays: 2, trend: { method: 'linear', calculations: 4, minSpanMs: 86_400_000 } },
});
/** 10 calculations that span at least six hours, as by default. */
const sixHours = settingsWith({
  forecast: { horizonDays: 3, trend: { method: 'linear', calculations: 10, minSpanMs: 21_600_000 } },
});
/** Margins at equal distances from midnight of 2 March on. */
const every = (minutes: number, margins: readonly number[], start = 0) =>
  margins.map((margin, index) =>
    row(
      new Date(Date.UTC(2026, 2, 2) + (start + index * minutes) * 60_000).toISOString().slice(0, 19),
      String(margin),
    ),
  );
const falling = (count: number, from: number, step: number) =>
  Array.from({ length: count }, (_, index) => from - index * step);
const lower = settingsWith({ margin: { breach: amount('1000') } });
const EVENING = '2026-03-05T23:00:00';

/** Forecasts from 3 March on, each a second after the one before. */
const publication = (minute: string, ...margins: string[]) =>
  margins.map((margin, index) => forecast(`${minute}:0${index}`, `2026-03-0${index + 3}`, margin));

/** The margin at 10:00 of the days from 2 March on. */
const daily = (...margins: string[]) =>
  margins.map((margin, index) => row(`2026-03-0${index + 2}T10:00:00`, margin));

it.each<[string, readonly Poll[], readonly (readonly string[])[]]>([
  [
    'a run below the threshold, a run within the hysteresis, a run above it',
    [
      {
        rows: [forecast('10:00:00', '2026-03-03', '300000'), forecast('10:00:00', '2026-03-04', '99999.99')],
      },
      { rows: [forecast('11:00:00', '2026-03-03', '300000'), forecast('11:00:00', '2026-03-04', '109999')] },
      { rows: [forecast('11:30:00', '2026-03-03', '300000'), forecast('11:30:00', '2026-03-04', '110000')] },
    ],
    [['margin.breach-forecast 10:00:00 99999.99 0'], [], ['margin.forecast-cleared 11:30:00 110000 0']],
  ],
  [
    'forecasts that stop: cleared when the day has passed, and raised again later',
    [
      { rows: [forecast('10:00:00', '2026-03-03', '300000'), forecast('10:00:00', '2026-03-04', '-1')] },
      { rows: [row('2026-03-04T23:59:59', '300000')], now: EVENING },
      { rows: [row('2026-03-05T00:00:00', '300000')], now: EVENING },
      { rows: [forecast('2026-03-05T10:00:00', '2026-03-06', '-1')], now: EVENING },
    ],
    [
      ['margin.breach-forecast 10:00:00 -1 0'],
      [],
      ['margin.forecast-cleared 2026-03-05T00:00:00 300000 0'],
      ['margin.breach-forecast 2026-03-05T10:00:00 -1 0'],
    ],
  ],
  [
    'a day whose actual calculation is above the threshold',
    [
      { rows: [forecast('10:00:00', '2026-03-03', '-1')] },
      { rows: [row('2026-03-03T09:00:00', '300000', { tradingDay: '2026-03-03' })], now: EVENING },
    ],
    [['margin.breach-forecast 10:00:00 -1 0'], ['margin.forecast-cleared 2026-03-03T09:00:00 300000 0']],
  ],
  [
    'publications with a time for each day, also when they are polled in the middle',
    [
      { rows: publication('10:00', '300000', '-1', '300000') },
      { rows: publication('11:00', '300000') },
      { rows: publication('11:00', '300000', '-2') },
      { rows: publication('11:00', '300000', '-2', '300000') },
      { rows: publication('11:30', '300000', '300000') },
    ],
    [['margin.breach-forecast 10:00:01 -1 0'], [], [], [], ['margin.forecast-cleared 11:30:01 300000 0']],
  ],
  [
    'a breach that moves to a later day within one second',
    [
      {
        rows: [
          forecast('10:00:00', '2026-03-03', '-1'),
          forecast('11:00:00', '2026-03-03', '300000'),
          forecast('11:00:00', '2026-03-04', '-1'),
        ],
      },
    ],
    [['margin.breach-forecast 10:00:00 -1 0']],
  ],
  [
    // The forecasts of 1 March for 1 March were not requested, so those of 1 March are not complete.
    'forecasts from before the first day that is read: their end',
    [
      {
        rows: [
          forecast('2026-03-01T10:00:00', '2026-03-02', '-1'),
          forecast('2026-03-01T10:00:00', '2026-03-03', '300000'),
          forecast('10:00:00', '2026-03-02', '300000'),
        ],
        firstDay: '2026-03-02',
      },
    ],
    [['margin.forecast-cleared 10:00:00 300000 0']],
  ],
  [
    'forecasts from before the first day that is read: the next ones repeat them, once',
    [
      {
        rows: [
          forecast('2026-03-01T10:00:00', '2026-03-03', '-1'),
          forecast('10:00:00', '2026-03-03', '-2'),
          forecast('11:00:00', '2026-03-03', '-3'),
        ],
        firstDay: '2026-03-02',
      },
      { rows: [forecast('11:30:00', '2026-03-03', '300000')], firstDay: '2026-03-03' },
    ],
    [['margin.breach-forecast 10:00:00 -2 0'], ['margin.forecast-cleared 11:30:00 300000 0']],
  ],
  [
    'a late forecast that changes what was announced with the end of a forecast',
    [
      { rows: [forecast('10:00:00', '2026-03-03', '-1'), forecast('11:00:00', '2026-03-03', '300000')] },
      { rows: [forecast('10:30:00', '2026-03-04', '-2')] },
    ],
    [
      ['margin.breach-forecast 10:00:00 -1 0', 'margin.forecast-cleared 11:00:00 300000 0'],
      ['margin.breach-forecast 11:00:00 300000 1'],
    ],
  ],
  [
    'trading days in the past and beyond the horizon',
    [{ rows: [forecast('10:00:00', '2026-03-01', '-1'), forecast('10:00:00', '2026-03-10', '-1')] }],
    [[]],
  ],
  [
    'a threshold that is lowered and raised again',
    [
      { rows: [forecast('10:00:00', '2026-03-03', '5000'), forecast('10:00:00', '2026-03-04', '50000')] },
      { rows: [], settings: settingsWith({ margin: { breach: amount('1000'), hysteresis: amount('0') } }) },
      { rows: [] },
      { rows: [], settings: lower },
    ],
    [
      ['margin.breach-forecast 10:00:00 5000 0'],
      ['margin.forecast-cleared 10:00:00 5000 1'],
      ['margin.breach-forecast 10:00:00 5000 2'],
      // 5,000 is below 1,000 plus the hysteresis.
      [],
    ],
  ],
  [
    // 100,000 less a day: at 300,000 it is two days to 100,000.
    'a trend that reaches the threshold within two days, still does, and rises',
    [
      { rows: daily('500000', '400000'), settings: trend, now: EVENING },
      { rows: daily('500000', '400000', '300000'), settings: trend, now: EVENING },
      { rows: [row('2026-03-05T10:00:00', '300000')], settings: trend, now: EVENING },
      { rows: [row('2026-03-05T10:00:01', '9000000')], settings: trend, now: EVENING },
    ],
    [
      [],
      ['margin.breach-forecast 2026-03-04T10:00:00 300000 0'],
      [],
      ['margin.forecast-cleared 2026-03-05T10:00:01 9000000 0'],
    ],
  ],
  [
    'a margin that is below already',
    [
      {
        rows: daily('-1', '-2', '-3'),
        settings: { ...trend, margin: { ...trend.margin, warning: amount('100000') } },
        now: EVENING,
      },
    ],
    [['margin.breached 10:00:00 -1 calculation/0']],
  ],
  [
    'three calculations of one second have no trend',
    [
      {
        rows: ['300000', '290000', '280000'].map((margin) => row('10:00:00', margin)),
        settings: trend,
      },
    ],
    [[]],
  ],
  [
    // 480,000 less a day: at 880,000 it is 1.6 days to 100,000. The thirteenth calculation is six hours after the first.
    'calculations each 30 minutes, of which ten span less than six hours',
    [{ rows: every(30, falling(14, 1_000_000, 10_000)), settings: sixHours }],
    [['margin.breach-forecast 06:00:00 880000 0']],
  ],
  [
    'two trading days in each second count as the latest of them',
    [
      {
        rows: every(60, falling(8, 1_000_000, 20_000)).flatMap((one) => [
          { ...row('00:00:00', '5000000', { tradingDay: '2026-03-01' }), calculatedAt: one.calculatedAt },
          one,
        ]),
        settings: sixHours,
      },
    ],
    [['margin.breach-forecast 06:00:00 880000 0']],
  ],
  [
    'a forecast is cleared although the calculations become frequent',
    [
      { rows: every(60, falling(7, 400_000, 5_000)), settings: sixHours },
      { rows: every(1, falling(20, 370_000, 0), 361), settings: sixHours },
      { rows: [row('06:21:00', '9000000')], settings: sixHours },
    ],
    [['margin.breach-forecast 06:00:00 370000 0'], [], ['margin.forecast-cleared 06:21:00 9000000 0']],
  ],
  [
    'a trend that is switched off',
    [
      { rows: daily('500000', '400000', '300000'), settings: trend, now: EVENING },
      { rows: [], now: EVENING },
    ],
    [
      ['margin.breach-forecast 2026-03-04T10:00:00 300000 0'],
      ['margin.forecast-cleared 2026-03-04T10:00:00 300000 1'],
    ],
  ],
])('%s', (_, polls, expected) => {
  const results = pollAll(polls);
  expect(results.map(({ facts }) => summarise(facts))).toEqual(expected);
  expect(schemaProblems(results.flatMap(({ facts }) => facts))).toEqual([]);
});

it('announces the earliest trading day below the threshold', () => {
  const rows = ['2026-03-05', '2026-03-04', '2026-03-03'].map((day, index) =>
    forecast('10:00:00', day, index === 2 ? '300000' : '-1'),
  );
  const [polled] = pollAll([{ rows }]);
  expect(
    polled?.facts.find(({ type }) => type === 'settlementbus.margin.breach-forecast.v1')?.data,
  ).toMatchObject({
    tradingDay: '2026-03-04T00:00:00',
    isForecast: true,
    method: 'operator',
    breach: '100000',
    horizonDays: 7,
    daysUntilBreach: '2.0',
    breachDay: '2026-03-04',
  });
});

it('announces the figures of the trend', () => {
  // The mean of 0, 1 and 2 days is 1; the slope is (-100,000 - 100,050) / 2, and the line is 299,991.67 at the last one.
  const [polled] = pollAll([{ rows: daily('500000', '400025', '299950'), settings: trend, now: EVENING }]);
  expect(polled?.facts.at(-1)?.data).toMatchObject({
    method: 'trend',
    isForecast: false,
    tradingMargin: '299950',
    daysUntilBreach: '2.0',
    breachDay: '2026-03-06',
    trend: {
      calculations: 3,
      from: '2026-03-02T10:00:00',
      to: '2026-03-04T10:00:00',
      changePerDay: '-100025.00',
    },
  });
});
