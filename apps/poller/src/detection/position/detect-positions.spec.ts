import {
  describeIssues,
  parseDecimal,
  parseJson,
  parseMarketDate,
  PRUDENTIAL_RANGE_ITEMS,
  PrudentialRangeResponse,
  type PrudentialCalculation,
} from '@ssb/market';
import { readPartially } from '@ssb/market/schemas';
import { CALCULATION } from '@ssb/testing/market-records';
import { detectPositions } from './detect-positions.js';
import {
  eventOf,
  forecast,
  PARTICIPANT,
  pollAll,
  row,
  schemaProblems,
  settingsWith,
  share,
  summarise,
} from '../../../test/support/positions.js';
import { describeFutureCalculation, nameFutureCalculation } from './future-calculations.js';
import { firstDayToRead } from './first-day-to-read.js';

const credit = (calculatedAt: string, creditSupport: string, creditLimit: string) =>
  row(calculatedAt, { creditSupport, creditLimit, tradingMargin: '300000' });

it('credit support is short below the limit, and restored at it', () => {
  const results = pollAll([
    { rows: [credit('10:00:00', '1000', '1000.00')] },
    { rows: [credit('10:05:00', '999.99', '1000')] },
    { rows: [credit('10:10:00', '900', '1000')] },
    { rows: [row('10:15:00', { creditLimit: '1', tradingMargin: '300000' })] },
    { rows: [credit('10:20:00', '1000', '1000')] },
  ]);
  expect(results.map(({ facts }) => summarise(facts))).toEqual([
    [],
    ['credit-support.short 10:05:00 -0.01 0'],
    [],
    [],
    ['credit-support.restored 10:20:00 0 0'],
  ]);
  expect(schemaProblems(results.flatMap(({ facts }) => facts))).toEqual([]);
});

describe('a calculation', () => {
  it('is announced once, with all figures and every digit', () => {
    const rows = [
      row(
        '10:00:00.5',
        { prepayment: '0.10', tradingMargin: '123456789012345.12345678' },
        { isForecast: true },
      ),
      row('10:00:00', '300000'),
    ];
    const [first, second] = pollAll([{ rows }, { rows }]);
    expect(first?.facts).toMatchObject([
      { type: 'settlementbus.position.calculated.v1', data: { tradingMargin: '300000', isForecast: false } },
      {
        type: 'settlementbus.position.calculated.v1',
        data: {
          tradingDay: '2026-03-02T00:00:00',
          calculatedAt: '2026-03-02T10:00:00.5',
          isForecast: true,
          prepayment: '0.10',
          tradingMargin: '123456789012345.12345678',
        },
      },
    ]);
    expect(schemaProblems(first?.facts ?? [])).toEqual([]);
    expect(second?.facts).toEqual([]);
  });

  it('has the digest of its canonical figures', () => {
    const [polled] = pollAll([{ rows: [row('10:00:00', '300000.10')] }]);
    // printf '{"calculatedAt":"2026-03-02T10:00:00.000","isForecast":false,"tradingDay":"2026-03-02T00:00:00.000","tradingMargin":"300000.1"}' | sha256sum
    expect(polled?.facts[0]?.data).toMatchObject({
      digest: '2394f822161acfe272979bf335f022ceac984613836a40f748e7bee876e2f0a6',
    });
  });

  it('is one in every spelling, also after a loss of the state', () => {
    const plain = [row('10:00:00', { tradingMargin: '-1', creditSupport: '1', creditLimit: '2' })];
    const longer = [
      row('10:00:00.000', { tradingMargin: '-1.0', creditSupport: '1.00', creditLimit: '2.0' }),
    ];
    const [first, second] = pollAll([{ rows: plain }, { rows: longer }]);
    expect(first?.facts).toHaveLength(3);
    expect(second?.facts).toEqual([]);
    const [lost] = pollAll([{ rows: longer }]);
    expect(lost?.facts.map((fact) => eventOf(fact).id)).toEqual(first?.facts.map((fact) => eventOf(fact).id));
    expect(lost?.facts[0]?.data).toMatchObject({
      calculatedAt: '2026-03-02T10:00:00.000',
      tradingMargin: '-1.0',
    });
  });

  it('is not announced again after it became part of the base, but after a loss of the state', () => {
    const rows = [row('2026-02-20T10:00:00', '-1'), row('10:00:00', '300000')];
    const [first, second] = pollAll([{ rows }, { rows }]);
    expect(second?.facts).toEqual([]);
    expect(second?.state.log.calculations).toHaveLength(1);
    const [lost] = pollAll([{ rows }]);
    expect(lost?.facts.map((fact) => eventOf(fact).id)).toEqual(first?.facts.map((fact) => eventOf(fact).id));
  });

  it('is decided at its place when it becomes readable, however old it is', () => {
    const week = Array.from({ length: 7 }, (_, day) => row(`2026-03-0${day + 2}T10:00:00`, '300000'));
    const [first, ...others] = week;
    const now = '2026-03-09T12:00:00';
    const polled = pollAll([
      { rows: others, unreadable: 1, firstDay: '2026-03-02', now },
      { rows: [first as PrudentialCalculation, ...others], firstDay: '2026-03-02', now },
    ]);
    expect(polled.map(({ facts }) => facts.length)).toEqual([6, 1]);
    // Then only those of the last three days are kept.
    expect(polled.map(({ state }) => state.log.calculations.length)).toEqual([6, 2]);
  });

  it('is one of at most 1,000 that are kept, and of any number that are decided', () => {
    const rows = Array.from({ length: 1_500 }, (_, index) =>
      row(new Date(Date.UTC(2026, 2, 2, 6) + index * 10_000).toISOString().slice(0, 19), '300000'),
    );
    const [first, second] = pollAll([{ rows }, { rows }]);
    expect([first?.facts.length, second?.facts.length]).toEqual([1_500, 0]);
    expect(second?.state.log.calculations).toHaveLength(1_000);
  });
});

describe('what cannot be read', () => {
  const good = row('11:00:00', '-1');
  const withoutDay = { ...row('10:00:00', '-1'), tradingDay: undefined };
  const withoutTime = { ...row('10:00:00', '-1'), calculatedAt: undefined };

  it.each<[string, PrudentialCalculation, string, string[]]>([
    ['no trading day', withoutDay, 'data[0].tradingDay', []],
    ['no time', withoutTime, 'data[0].calculatedAt', []],
    [
      'another participant',
      { ...row('10:00:00', '-1'), participantCode: 'BETA' },
      'data[0].participantCode',
      [],
    ],
    ['a time 367 days before its day', row('2025-02-28T23:59:59', '300000'), 'data[0].calculatedAt', []],
    ['no margin', row('10:00:00', { outstandingAmount: '1' }), 'data[0].tradingMargin', ['10:00:00']],
  ])('%s affects nothing else', (_, broken, path, announced) => {
    const [polled] = pollAll([{ rows: [broken, good] }]);
    expect(polled?.unreadable.map((one) => one.path)).toEqual([path]);
    expect(summarise(polled?.facts ?? [])).toEqual(['margin.breached 11:00:00 -1 calculation/0']);
    const calculated =
      polled?.facts.filter(({ type }) => type === 'settlementbus.position.calculated.v1') ?? [];
    expect(calculated.map(({ data }) => (data as { calculatedAt: string }).calculatedAt.slice(11))).toEqual([
      ...announced,
      '11:00:00',
    ]);
  });

  it('a forecast 366 days ahead is read', () => {
    const [polled] = pollAll([{ rows: [row('2025-03-01T00:00:00', '300000', { isForecast: true })] }]);
    expect(polled?.unreadable).toEqual([]);
  });

  it('is read again, unless it cannot become readable', () => {
    const incompleteAfter = (broken: string): unknown => {
      const json = parseJson(`{"data":[${broken},${CALCULATION}]}`);
      const response = readPartially(PrudentialRangeResponse, json, PRUDENTIAL_RANGE_ITEMS);
      if (!response.ok) throw new Error(describeIssues(response.issues));
      const { value, ...items } = response;
      const read = { ...items, value: value.data ?? [], firstDay: parseMarketDate('2026-01-01') };
      return detectPositions(undefined, read, {
        participant: PARTICIPANT,
        settings: settingsWith(),
        now: new Date('2026-03-06T00:00:00Z'),
      }).state.incompleteFrom;
    };
    const withMargin = (calculatedAt: string, margin: string): string =>
      `{"tradingDay":"2026-03-05T00:00:00","calculatedAt":"${calculatedAt}","tradingMargin":${margin}}`;
    expect(incompleteAfter(withMargin('2026-03-05T10:00:00', '"1"'))).toBeDefined();
    expect(incompleteAfter(withMargin('0001-01-01T00:00:00', '"1"'))).toBeDefined();
    expect(incompleteAfter(withMargin('0001-01-01T00:00:00', '1'))).toBeUndefined();
  });

  it('has its place in the response, also after items that were left out', () => {
    const settings = settingsWith({ margin: { breach: share('10') } });
    const [polled] = pollAll([{ rows: [withoutDay, good], unreadable: 2, settings }]);
    expect(polled?.unreadable.map(({ path }) => path)).toEqual([
      'data[2].tradingDay',
      'data[3].tradingLimit',
    ]);
  });

  it('a margin without the limit that a threshold is a share of is reported', () => {
    const settings = settingsWith({ margin: { breach: share('10') } });
    const [polled] = pollAll([
      { rows: [good, row('11:05:00', { tradingMargin: '1', tradingLimit: '5' })], settings },
    ]);
    expect(polled?.unreadable.map(({ path }) => path)).toEqual(['data[0].tradingLimit']);
  });
});

describe('a calculation whose time has not come', () => {
  const rows = [row('11:50:00', '-1'), row('12:50:00', '300000')];

  it('does not replace a present breach, and is decided when its time comes', () => {
    const polls = pollAll([{ rows }, { rows, now: '12:48:59' }, { rows, now: '12:49:00' }]);
    expect(polls.map(({ facts }) => summarise(facts))).toEqual([
      ['margin.breached 11:50:00 -1 calculation/0'],
      [],
      ['margin.restored 12:50:00 300000 calculation/0'],
    ]);
    expect(polls.map(({ future }) => future.map(describeFutureCalculation))).toEqual([
      [expect.stringMatching(/at 2026-03-02T12:50:00, .* trading margin 300000\./)],
      [expect.anything()],
      [],
    ]);
    expect(polls.flatMap(({ unreadable }) => unreadable)).toEqual([]);
  });

  it('is kept through an empty response, and forgotten with a response that lacks it', () => {
    const polls = pollAll([{ rows }, { rows: [] }, { rows: rows.slice(0, 1) }]);
    expect(polls.map(({ state }) => state.future.length)).toEqual([1, 1, 0]);
  });

  it('keeps its trading day read until then', () => {
    const [polled] = pollAll([
      { rows: [row('2026-03-30T10:00:00', '-1'), row('2026-03-02T10:00:00', '300000')] },
      { rows: [row('2026-03-30T10:00:00', '-1'), row('2026-03-29T10:00:00', '300000')] },
    ]).slice(-1);
    const firstDay = firstDayToRead(polled?.state, new Date('2026-03-30T10:00:00+08:00'), 7);
    expect(firstDay).toBe('2026-03-02');
  });

  it('can be a forecast, and an actual calculation may be of a later trading day', () => {
    const [polled] = pollAll([
      {
        rows: [
          row('11:00:00', '300000', { tradingDay: '2026-03-05' }),
          forecast('11:00:00', '2026-03-06', '300000'),
          forecast('12:50:00', '2026-03-06', '-5'),
        ],
      },
    ]);
    expect(polled?.future.map(nameFutureCalculation)).toEqual(['forecast 2026-03-02T12:50:00 of 2026-03-06']);
    expect(polled?.state.log.calculations).toHaveLength(2);
  });
});

it('an interruption after a correction was queued raises nothing twice, and keeps the correction', () => {
  const rows = [row('10:05:00', '90000'), row('10:10:00', '105000')];
  const later = [...rows, row('10:15:00', '300000')];
  const [, corrected, restored] = pollAll([{ rows: rows.slice(1) }, { rows }, { rows: later }]);
  expect(summarise(corrected?.facts ?? [])).toContain('margin.breached 10:10:00 105000 calculation/1');
  for (const [interrupted, served] of [
    [corrected, rows],
    [restored, later],
  ] as const) {
    const [again] = pollAll([{ rows: served }], interrupted?.announcedState);
    expect(summarise(again?.facts ?? [])).toEqual([]);
    expect(again?.state.log).toEqual(interrupted?.state.log);
  }
});

it('reads the present position', () => {
  const rows = [
    row('10:00:00', { tradingMargin: '-1', outstandingAmount: '5' }),
    row('10:05:00', { prepayment: '1' }),
  ];
  const [empty, polled] = pollAll([{ rows: [] }, { rows }]);
  expect(empty && empty.state.present).toBeUndefined();
  expect(polled && polled.state.present).toEqual({
    calculatedAt: '2026-03-02T10:00:00',
    tradingMargin: parseDecimal('-1'),
    outstandingAmount: parseDecimal('5'),
    level: 'BREACHED',
    thresholds: {
      warning: '250000',
      breach: '100000',
      hysteresis: '10000',
      deepeningStep: '0',
      method: 'amount',
      minDurationSeconds: 0,
    },
  });
});
