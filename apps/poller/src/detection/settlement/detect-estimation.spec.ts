import { MAX_ESTIMATION_VARIABLES } from '@ssb/events';
import type { SettlementOutputDetails } from '@ssb/market';
import { detectEstimation } from './detect-estimation.js';
import type { SettlementRun } from './runs.js';
import {
  afterMinutes,
  at,
  dataOf,
  day,
  decimal,
  idsOf,
  play,
  RUN,
  time,
  typesOf,
  type Step,
} from '../../../test/support/settlement.js';
import { formatState, parseEstimationState, type EstimationState } from './states.js';

const FORM = { parse: parseEstimationState, format: formatState };
const MONTH: SettlementRun = { ...RUN, marketService: 'NSTEM', period: 'Mar 2026' };

const ESTIMATION: SettlementOutputDetails = {
  runId: 815,
  publishedAt: time('2026-03-05T09:00:00'),
  marketService: 'NSTEM',
  designation: 'INITIAL',
  period: 'Mar 2026',
  periodFrom: time('2026-03-01T00:00:00'),
  periodTo: time('2026-03-31T00:00:00'),
  participantCode: 'ALPHA',
  tradingDay: time('2026-03-04T00:00:00'),
  tradingDays: [
    {
      tradingDay: time('2026-03-04T00:00:00'),
      variables: [
        {
          variable: 'EXPOSURE',
          scope: 'ALPHA',
          granularity: 'I',
          value: [decimal('123456789012345.67890123'), decimal('0.00000001'), decimal('-1')],
        },
        { variable: 'FLAG', scope: 'ALPHA', granularity: 'D', value: null },
      ],
    },
  ],
};
const estimation = (changes: Partial<SettlementOutputDetails>): SettlementOutputDetails => ({
  ...ESTIMATION,
  ...changes,
});
const withValues = (...values: string[]): SettlementOutputDetails =>
  estimation({
    tradingDays: [
      {
        tradingDay: ESTIMATION.tradingDay,
        variables: [{ variable: 'EXPOSURE', scope: 'ALPHA', granularity: 'I', value: values.map(decimal) }],
      },
    ],
  });

const serve =
  (response: SettlementOutputDetails | undefined, now = '2026-03-05T12:00:00'): Step<EstimationState> =>
  (state) =>
    detectEstimation(state, MONTH, day('2026-03-04'), response, at(now));

it('announces each variable with the exact sum of its values', () => {
  const [, facts] = play(FORM, undefined, serve(undefined), serve(ESTIMATION));
  expect(facts).toEqual([
    {
      type: 'settlementbus.estimation.published.v1',
      data: {
        runId: 815,
        publishedAt: '2026-03-05T09:00:00',
        designation: 'INITIAL',
        period: 'Mar 2026',
        periodFrom: '2026-03-01T00:00:00',
        periodTo: '2026-03-31T00:00:00',
        tradingDay: '2026-03-04T00:00:00',
        digest: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
        isRevision: false,
        variables: [
          {
            variable: 'EXPOSURE',
            scope: 'ALPHA',
            granularity: 'I',
            values: 3,
            sum: '123456789012344.67890124',
          },
          { variable: 'FLAG', scope: 'ALPHA', granularity: 'D', values: 0, sum: '0' },
        ],
        count: 2,
      },
    },
  ]);
});

it.each<[string, SettlementOutputDetails, SettlementOutputDetails, string[]]>([
  ['another run id', ESTIMATION, estimation({ runId: 816 }), ['estimation.published']],
  [
    'another publishedAt',
    ESTIMATION,
    estimation({ publishedAt: time('2026-03-05T10:00:00') }),
    ['estimation.published'],
  ],
  ['other values', withValues('1', '2'), withValues('1', '3'), ['estimation.published']],
  ['values in another order', withValues('1', '2'), withValues('2', '1'), ['estimation.published']],
  ['the same values with other zeros', withValues('1.50', '2'), withValues('1.5', '2.000'), []],
])('%s', (_, first, second, expected) => {
  const [, facts = []] = play(FORM, undefined, serve(first), serve(second));
  expect(typesOf(facts)).toEqual(expected);
  for (const { data } of facts) expect(data).toMatchObject({ isRevision: true });
});

it('announces a return to a version that was announced before', () => {
  const [one, two] = [withValues('1'), withValues('2')];
  const steps = [serve(one), serve(two), serve(undefined), serve(one)];
  const later = [0, 60].map((minutes) => serve(two, afterMinutes(minutes)));
  const facts = play(FORM, undefined, ...steps, ...later).flat();
  const found = dataOf('settlementbus.estimation.published.v1', facts);
  expect(found.map(({ variables, repetition }) => [variables[0]?.sum, repetition])).toEqual([
    ['1', undefined],
    ['2', undefined],
    ['1', 2],
    ['2', 2],
  ]);
  expect(new Set(idsOf(facts)).size).toBe(4);
});

it('lists a bounded number of variables and counts all', () => {
  const variables = Array.from({ length: MAX_ESTIMATION_VARIABLES + 1 }, (_, index) => ({
    variable: `V${index}`,
    scope: '',
    granularity: 'D',
    value: [decimal('1')],
  }));
  const response = estimation({ tradingDays: [{ tradingDay: ESTIMATION.tradingDay, variables }] });
  const [facts = []] = play(FORM, undefined, serve(response));
  const [data] = dataOf('settlementbus.estimation.published.v1', facts);
  expect([data?.variables.length, data?.count]).toEqual([
    MAX_ESTIMATION_VARIABLES,
    MAX_ESTIMATION_VARIABLES + 1,
  ]);
});

it.each([
  ['another participant', { participantCode: 'BETA' }, 'participantCode', 'other-participant'],
  ['another market', { marketService: 'WEM' as const }, 'marketService', 'other-statement'],
  ['a period that is not Unicode', { period: '\ud800' }, 'period', 'not-unicode'],
  ['another trading day', { tradingDay: time('2026-03-05T00:00:00') }, 'tradingDay', 'other-statement'],
])('%s is not used', (_, changes, path, reason) => {
  const { state } = serve(ESTIMATION)(undefined);
  expect(serve(estimation(changes))(state)).toEqual({ facts: [], state, unreadable: [{ path, reason }] });
});
