import { ABSENT, CALCULATION, INVOICE, TIMELINE } from '@ssb/testing/market-records';
import {
  PRUDENTIAL_RANGE_ITEMS,
  PrudentialRangeResponse,
  TIMELINE_ITEMS,
  TimelineResponse,
} from '../client/reporting-responses.js';
import { SettlementInvoice } from '../resources/invoice/settlement-invoice.js';
import { changeAll } from '../../test/field-table.js';
import { parseJson } from '../values/json.js';
import { readPartially } from './partial-read.js';

const RESPONSE = `{"data":${TIMELINE}}`;
const RUN = `{ "designation": "ADJ1", "commencementDate": "2026-03-12T00:00:00", "statementDate": "2026-03-13T00:00:00",
  "invoiceDate": "2026-03-16T00:00:00", "settlementDate": "2026-03-18T00:00:00" }`;
const CYCLE = `{ "period": "TW 12 Mar 2026", "marketService": "WEM",
  "periodFrom": "2026-03-12T00:00:00", "periodTo": "2026-03-18T00:00:00", "runs": [${RUN}, ${RUN}] }`;

/** What remains of the timeline, as `market: runs`, and the paths of what is unreadable with those of its issues. */
function readTimeline(changes: Parameters<typeof changeAll>[1]) {
  const result = readPartially(TimelineResponse, changeAll(RESPONSE, changes), TIMELINE_ITEMS);
  if (!result.ok) return result.issues.map(({ path }) => path);
  return {
    cycles: result.value.data.cycles?.map(
      ({ marketService, runs }) => `${marketService}: ${runs?.length ?? 0}`,
    ),
    unreadable: result.unreadable.map(({ path, issues }) => [path, ...issues.map((issue) => issue.path)]),
  };
}

it.each<[string, Parameters<typeof changeAll>[1], string[], string[][]]>([
  ['nothing', {}, ['WEM: 1', 'STEM: 1', 'NSTEM: 0'], []],
  [
    'a date of a run: that run',
    { 'data.cycles[2]': CYCLE, 'data.cycles[2].runs[0].invoiceDate': '"2026-03-16"' },
    ['WEM: 1', 'STEM: 1', 'WEM: 1'],
    [['data.cycles[2].runs[0]', 'data.cycles[2].runs[0].invoiceDate']],
  ],
  [
    'an unknown designation: that run',
    { 'data.cycles[0].runs[0].designation': '"ADJ4"' },
    ['WEM: 0', 'STEM: 1', 'NSTEM: 0'],
    [['data.cycles[0].runs[0]', 'data.cycles[0].runs[0].designation']],
  ],
  [
    'null in place of a run: that run',
    { 'data.cycles[2]': CYCLE, 'data.cycles[2].runs[1]': 'null' },
    ['WEM: 1', 'STEM: 1', 'WEM: 1'],
    [['data.cycles[2].runs[1]', 'data.cycles[2].runs[1]']],
  ],
  [
    'both runs of a cycle: no run remains',
    { 'data.cycles[2]': CYCLE, 'data.cycles[2].runs[0]': '1', 'data.cycles[2].runs[1]': '1' },
    ['WEM: 1', 'STEM: 1', 'WEM: 0'],
    [
      ['data.cycles[2].runs[0]', 'data.cycles[2].runs[0]'],
      ['data.cycles[2].runs[1]', 'data.cycles[2].runs[1]'],
    ],
  ],
  [
    'a field of a cycle and of its run: the cycle, once',
    { 'data.cycles[0].periodFrom': ABSENT, 'data.cycles[0].runs[0].statementDate': 'null' },
    ['STEM: 1', 'NSTEM: 0'],
    [['data.cycles[0]', 'data.cycles[0].periodFrom', 'data.cycles[0].runs[0].statementDate']],
  ],
  [
    'runs that are not a list: the cycle',
    { 'data.cycles[0].runs': '{}' },
    ['STEM: 1', 'NSTEM: 0'],
    [['data.cycles[0]', 'data.cycles[0].runs']],
  ],
  [
    'the first and the last cycle',
    { 'data.cycles[0].marketService': '"GAS"', 'data.cycles[2]': '"x"' },
    ['STEM: 1'],
    [
      ['data.cycles[0]', 'data.cycles[0].marketService'],
      ['data.cycles[2]', 'data.cycles[2]'],
    ],
  ],
])('a timeline, unreadable: %s', (_, changes, cycles, unreadable) => {
  expect(readTimeline(changes)).toEqual({ cycles, unreadable });
});

it.each<[string, Parameters<typeof changeAll>[1], string[]]>([
  ['data is a list', { data: '[]' }, ['data']],
  ['cycles is an object', { 'data.cycles': '{}' }, ['data.cycles']],
  ['data is absent, and a cycle would be unreadable', { data: ABSENT }, ['data']],
])('a timeline is unreadable as a whole: %s', (_, changes, paths) => {
  expect(readTimeline(changes)).toEqual(paths);
});

it('an unset date that may be absent is null', () => {
  const json = changeAll(RESPONSE, { 'data.cycles[0].runs[0].commencementDate': '"0001-01-01T00:00:00"' });
  const result = readPartially(TimelineResponse, json, TIMELINE_ITEMS);
  expect(result.ok && result.value.data.cycles?.[0]?.runs?.[0]?.commencementDate).toBeNull();
  expect(result.ok && result.unreadable).toEqual([]);
});

it('an invoice whose prepayment balance has an unset date is read', () => {
  const json = changeAll(INVOICE, { 'paymentSummary.prepaymentBalance.asAt': '"0001-01-01T00:00:00.000"' });
  expect(SettlementInvoice.readTolerant(json)).toMatchObject({ ok: true });
});

it('an unreadable cycle has at most twenty issues', () => {
  const runs = `[${Array.from({ length: 30 }, () => '1').join(',')}]`;
  const json = changeAll(RESPONSE, { 'data.cycles[0].period': '1', 'data.cycles[0].runs': runs });
  const result = readPartially(TimelineResponse, json, TIMELINE_ITEMS);
  expect(result.ok && result.unreadable.map(({ issues }) => issues.length)).toEqual([20]);
});

describe('calculations', () => {
  const read = (items: readonly string[]) =>
    readPartially(
      PrudentialRangeResponse,
      parseJson(`{"data":[${items.join(',')}]}`),
      PRUDENTIAL_RANGE_ITEMS,
    );
  const repeat = (count: number, item: string): string[] => Array.from({ length: count }, () => item);

  it('keep their order and every digit', () => {
    const result = read([
      CALCULATION,
      '{"tradingMargin":"1"}',
      '{"tradingMargin":-0.10}',
      '{"isForecast":1}',
    ]);
    expect(result.ok && result.value.data?.map(({ tradingMargin }) => tradingMargin)).toEqual([
      '123456789012345678.12',
      '-0.10',
    ]);
    expect(result.ok && result.indexes).toEqual([0, 2]);
  });

  it.each([
    ['a list', '[{},{}]', [0, 1]],
    ['null', 'null', []],
  ])('of %s have the indexes of the response', (_, data, indexes) => {
    const json = parseJson(`{"data":${data}}`);
    expect(readPartially(PrudentialRangeResponse, json, PRUDENTIAL_RANGE_ITEMS)).toMatchObject({ indexes });
  });

  it('with unknown properties are reported with the paths of the response, unless they are unreadable', () => {
    const result = read(['1', '{"new":1}', '{"new":1,"tradingMargin":"1"}', '{"isForecast":false,"old":2}']);
    expect(result.ok && result.unknownProperties).toEqual(['data[1].new', 'data[3].old']);
  });

  it('of which many have an unset date are a response with the others', () => {
    const unset = '{"isForecast":true,"calculatedAt":"0001-01-01T00:00:00"}';
    expect(read([...repeat(500, unset), CALCULATION])).toMatchObject({
      ok: true,
      unreadable: { length: 500 },
      indexes: [500],
    });
  });
});
