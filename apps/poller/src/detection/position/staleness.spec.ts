import type { Weekday } from '@ssb/market';
import { pollAll, row, schemaProblems, settingsWith } from './positions.fixture.js';

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

it('a pause is stated once, and its end at the first new calculation', () => {
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

it('a pause that ended between two polls is not stated, and the next one is', () => {
  const settings = staleAfter(2);
  const rows = [row('05:00:00', '300000'), row('08:00:00', '300000')];
  const [polled] = pollAll([{ rows, settings }]);
  const pauses = polled?.facts.filter(({ type }) => /stale|resumed/.test(type));
  expect(pauses?.map(({ data }) => data)).toMatchObject([{ lastCalculatedAt: '2026-03-02T08:00:00' }]);
});
