import {
  addDays,
  MalformedResponseError,
  ReportingForbiddenError,
  ReportingUnavailableError,
  toInstant,
  type MarketDateTime,
  type SettlementInvoice,
} from '@ssb/market';
import type { SettlementRun } from '../detection/settlement/runs.js';
import { day, decimal, INVOICE, REVISED, RUN, STATEMENT, time } from '../../test/support/settlement.js';
import { FetchesFailedError } from './poll-failures.js';
import { PollBench, timelineOf } from '../../test/support/settlement-poll.js';

const STATEMENT_REQUEST = 'statement WEM 2026-03-01 INITIAL';
const INVOICE_REQUEST = 'invoice WEM 2026-03-01 INITIAL';
const FORBIDDEN = new ReportingForbiddenError('operation 5', 403);
const UNAVAILABLE = new ReportingUnavailableError('operation 5', 503, undefined);

/** A poll at this time, with the timeline and the responses to these requests. */
function open(
  marketTime: string,
  responses: Record<string, object> = {},
  ...runs: SettlementRun[]
): PollBench {
  const bench = new PollBench(marketTime);
  bench.responses.set('timeline', timelineOf(...(runs.length > 0 ? runs : [RUN])));
  for (const [request, response] of Object.entries(responses)) bench.responses.set(request, response);
  return bench;
}

describe('a document that is refused', () => {
  it('says nothing about the operator, who is requested the timeline after a minute and then every five', async () => {
    const bench = open('2026-03-12T12:00:00', { [STATEMENT_REQUEST]: FORBIDDEN, [INVOICE_REQUEST]: INVOICE });
    expect(await bench.runUntil('2026-03-12T12:59:00')).toEqual([]);
    expect(bench.count(STATEMENT_REQUEST)).toBeGreaterThan(100);
    expect(bench.count('timeline')).toBeLessThanOrEqual(13);
  });

  it('makes the poll fail when the timeline fails too', async () => {
    const bench = open('2026-03-12T12:00:00', { [STATEMENT_REQUEST]: FORBIDDEN, [INVOICE_REQUEST]: INVOICE });
    await bench.runUntil('2026-03-12T12:04:00');
    bench.responses.set('timeline', UNAVAILABLE);
    const [error] = await bench.runUntil('2026-03-12T12:07:00');
    expect(error).toBeInstanceOf(FetchesFailedError);
  });

  it('makes the poll fail when the timeline fails and every response for a document is unusable', async () => {
    const foreign = { ...STATEMENT, participantCode: 'BETA' };
    const other = { ...INVOICE, market: 'STEM' };
    const bench = open('2026-03-12T12:00:00', { [STATEMENT_REQUEST]: foreign, [INVOICE_REQUEST]: other });
    expect(await bench.run()).toMatchObject({ hasUsableResponse: true, unusable: [{}, {}] });
    bench.responses.set('timeline', new MalformedResponseError('operation 10', []));
    const [error] = await bench.runUntil('2026-03-12T12:06:00');
    expect(error).toBeInstanceOf(FetchesFailedError);
  });

  it('makes the poll fail within a minute when an outage begins after the timeline was responded', async () => {
    const bench = open('2026-03-12T12:00:00', { [INVOICE_REQUEST]: INVOICE });
    await bench.run();
    for (const request of ['timeline', STATEMENT_REQUEST, INVOICE_REQUEST])
      bench.responses.set(request, UNAVAILABLE);
    const [error] = await bench.runUntil('2026-03-12T12:01:40');
    expect(error).toBeInstanceOf(FetchesFailedError);
  });
});

it('Retry-After stops all requests of a poll, that of the timeline too', async () => {
  const bench = open('2026-03-12T12:00:00', { [INVOICE_REQUEST]: INVOICE });
  await bench.run();
  bench.now = new Date(bench.now.getTime() + 10 * 60_000);
  bench.responses.set(STATEMENT_REQUEST, new ReportingUnavailableError('operation 5', 503, 60_000));
  await expect(bench.run()).rejects.toThrow(FetchesFailedError);
  expect(bench.requests.slice(-1)).toEqual([STATEMENT_REQUEST]);
  // The next poll finds out whether the operator responds.
  bench.now = new Date(bench.now.getTime() + 60_000);
  expect(await bench.run()).toMatchObject({ hasUsableResponse: true });
  expect(bench.requests.slice(-2)).toEqual(['timeline', STATEMENT_REQUEST]);
});

it('documents whose day has come are open until they come', async () => {
  const bench = open('2026-03-11T12:00:00');
  await bench.run();
  expect(bench.openItems).toEqual([]);
  await bench.runUntil('2026-03-13T00:59:00', 60);
  const names = {
    market: 'WEM',
    designation: 'INITIAL',
    periodFrom: '2026-03-01T00:00:00',
    period: 'TW 01 Mar 2026',
  };
  const statement = {
    ...names,
    kind: 'statement',
    expectedOn: '2026-03-12',
    since: '2026-03-11T16:00:00.000Z',
  };
  const invoice = { ...names, kind: 'invoice', expectedOn: '2026-03-13', since: '2026-03-12T16:00:00.000Z' };
  expect(bench.openItems).toEqual([statement, invoice]);
  // An hour after the end of its day it is overdue.
  await bench.runUntil('2026-03-13T01:01:00', 60);
  expect(bench.openItems).toEqual([{ ...statement, overdueSince: '2026-03-12T17:00:00.000Z' }, invoice]);
  bench.responses.set(STATEMENT_REQUEST, STATEMENT);
  await bench.runUntil('2026-03-13T01:05:00');
  expect(bench.openItems).toEqual([invoice]);
});

it('an invoice that comes before its day is requested again each hour', async () => {
  const bench = open('2026-03-10T12:00:00', { [INVOICE_REQUEST]: INVOICE, [STATEMENT_REQUEST]: STATEMENT });
  await bench.runUntil('2026-03-10T18:00:00', 300);
  expect(bench.count(INVOICE_REQUEST)).toBeGreaterThanOrEqual(6);
});

it('a statement that the operator dates in the future is requested again each hour', async () => {
  const future = { ...STATEMENT, publishedAt: time('2026-04-01T00:00:00') };
  const bench = open('2026-03-12T12:00:00', { [STATEMENT_REQUEST]: future });
  await bench.runUntil('2026-03-12T18:00:00', 300);
  expect(bench.count(STATEMENT_REQUEST)).toBeGreaterThanOrEqual(5);
});

it('what a bound leaves out of the timeline is reported until it is not', async () => {
  const runs = Array.from({ length: 251 }, (_, index) => ({
    ...RUN,
    periodFrom: `${addDays(day('2026-03-01'), index)}T00:00:00` as MarketDateTime,
  }));
  const bench = open('2026-03-12T12:00:00');
  expect((await bench.run()).leftOut).toEqual([]);
  bench.responses.set('timeline', timelineOf(...runs));
  bench.now = new Date(bench.now.getTime() + 7 * 3_600_000);
  const reported = ['timeline: 50 changes of the timeline left out, 200 kept'];
  expect((await bench.run()).leftOut).toEqual(reported);
  bench.now = new Date(bench.now.getTime() + 10_000);
  expect((await bench.run()).leftOut).toEqual(reported);
  // The timeline is requested again, because its other changes are not known.
  bench.now = new Date(bench.now.getTime() + 60_000);
  expect((await bench.run()).leftOut).toEqual([]);
});

describe('a timeline that lacks runs', () => {
  it('is requested once more after a minute', async () => {
    const bench = open('2026-03-12T06:00:00');
    await bench.runUntil('2026-03-12T06:01:00');
    bench.responses.set('timeline', timelineOf());
    bench.now = new Date(bench.now.getTime() + 6 * 3_600_000);
    await bench.run();
    bench.responses.set('timeline', timelineOf(RUN));
    bench.responses.set(STATEMENT_REQUEST, STATEMENT);
    await bench.runUntil('2026-03-12T12:03:00');
    expect(bench.types()).toEqual(['timeline.changed', 'timeline.changed', 'statement.published']);
  });

  it('because they cannot be read is requested again after a minute, and reported', async () => {
    const bench = open('2026-03-12T06:00:00', {}, RUN, { ...RUN, period: '\ud800' });
    const { unusable } = await bench.run();
    expect(unusable.map(({ detail }) => detail)).toEqual([
      'The response for cycle WEM 2026-03-01 is not used: data.cycles[1].period: not-unicode',
    ]);
    await bench.runUntil('2026-03-12T06:01:10');
    expect(bench.count('timeline')).toBe(2);
    // Then at intervals that double.
    await bench.runUntil('2026-03-12T07:00:00');
    expect(bench.count('timeline')).toBe(6);
  });

  it('silences no payment reminder: the saved invoice is requested before', async () => {
    const bench = open('2026-03-20T12:00:00', { [INVOICE_REQUEST]: INVOICE, [STATEMENT_REQUEST]: STATEMENT });
    await bench.run();
    bench.responses.set('timeline', timelineOf());
    bench.now = new Date(bench.now.getTime() + 86_400_000);
    await bench.runUntil('2026-03-21T12:02:00');
    const before = bench.count(INVOICE_REQUEST);
    await bench.runUntil('2026-03-22T00:00:00', 3_600);
    expect(bench.count(INVOICE_REQUEST)).toBe(before);
    bench.now = new Date(`2026-03-22T00:00:10+08:00`);
    await bench.run();
    expect(bench.count(INVOICE_REQUEST)).toBe(before + 1);
    expect(bench.types().at(-1)).toBe('payment.due');
  });
});

describe('an adjustment whose earlier invoice is not in the timeline', () => {
  const ADJUSTED: SettlementRun = { ...RUN, designation: 'ADJ1' };
  const line = { previous: decimal('60.00'), current: decimal('70.00'), adjustment: decimal('10.00') };
  const adjustment: SettlementInvoice = {
    ...INVOICE,
    id: 'INV-2',
    adjustment: 1,
    adjustmentSummary: { taxInvoiceAdjustment: { gstFree: line } },
  };
  const openWith = (earlier: object): PollBench =>
    open(
      '2026-03-10T12:00:00',
      { 'invoice WEM 2026-03-01 ADJ1': adjustment, [INVOICE_REQUEST]: earlier },
      ADJUSTED,
    );

  it('is compared with it, which causes no event of its own', async () => {
    const bench = openWith(INVOICE);
    await bench.runUntil('2026-03-10T15:00:00', 60);
    expect(bench.count(INVOICE_REQUEST)).toBe(1);
    expect(bench.types()).toEqual(['invoice.adjusted', 'invoice.discrepancy']);
  });

  it('is requested once when there is none, and again after a failure', async () => {
    const bench = openWith(FORBIDDEN);
    await bench.runUntil('2026-03-10T12:03:00');
    expect(bench.count(INVOICE_REQUEST)).toBe(2);
    bench.responses.delete(INVOICE_REQUEST);
    await bench.runUntil('2026-03-11T12:00:00', 600);
    expect(bench.count(INVOICE_REQUEST)).toBe(3);
  });
});

it('the state of a run that is still in the timeline is kept, however old its period is', async () => {
  const old = { ...RUN, periodFrom: time('2024-03-03T00:00:00') };
  const bench = open('2026-03-12T12:00:00', {}, old);
  const [kept, removed] = ['statement:WEM|2024-03-03|INITIAL', 'statement:WEM|2024-02-25|INITIAL'] as const;
  const state = '{"version":1,"raised":["earlier"]}';
  for (const part of [kept, removed]) bench.parts.set(part, state);
  await bench.run();
  expect(bench.parts.get(kept)).toContain('"raised":["earlier"]');
  expect(bench.parts.has(removed)).toBe(false);
});

it('the state of an old invoice without a run is kept for its reminders until the payment is due', async () => {
  const bench = open('2026-03-12T12:00:00');
  const part = 'invoice:WEM|2024-02-25|ADJ3';
  const figures = {
    digest: '0'.repeat(64),
    market: 'WEM',
    designation: 'ADJ3',
    periodFrom: '2024-02-25T00:00:00',
    dueDate: '2026-03-20',
    payableAmount: '5',
    settlementRequired: true,
    taxSums: {},
  };
  bench.parts.set(
    part,
    JSON.stringify({
      version: 1,
      raised: [],
      reminders: [],
      current: { id: 'INV-9', seenAt: '2024-03-08T00:00:00Z', figures },
    }),
  );
  await bench.run();
  // There is no response about it, so the reminder waits for six hours of its day.
  bench.now = toInstant(time('2026-03-15T07:00:00'));
  await bench.run();
  expect(bench.events.map(({ subject }) => subject)).toContain(
    'ALPHA/WEM/2024-02-25/ADJ3/invoice/INV-9/payment',
  );
  bench.now = toInstant(time('2026-03-20T23:00:00'));
  await bench.run();
  expect(bench.parts.has(part)).toBe(true);
  bench.now = toInstant(time('2026-03-21T12:00:00'));
  await bench.run();
  expect(bench.parts.has(part)).toBe(false);
});

it('documents that cannot be used are logged apart, and again after they could be used', async () => {
  const foreign = { ...STATEMENT, participantCode: 'BETA' };
  const other = { ...INVOICE, market: 'STEM' };
  const bench = open('2026-03-13T12:00:00', { [STATEMENT_REQUEST]: foreign, [INVOICE_REQUEST]: other });
  // Documents are requested at the same time.
  const logged = (): unknown[] =>
    bench.lines
      .filter(({ msg }) => msg === 'response partly unreadable')
      .map(({ resource }) => resource)
      .toSorted();
  await bench.runUntil('2026-03-13T12:05:00');
  expect(logged()).toEqual(['invoice', 'statement']);
  bench.responses.set(STATEMENT_REQUEST, STATEMENT);
  await bench.runUntil('2026-03-13T12:06:00');
  bench.responses.set(STATEMENT_REQUEST, foreign);
  await bench.runUntil('2026-03-13T14:00:00');
  expect(logged()).toEqual(['invoice', 'statement', 'statement']);
});

it('a reminder does not replace a detection whose events could not be queued', async () => {
  const bench = open('2026-03-21T12:00:00', { [INVOICE_REQUEST]: INVOICE, [STATEMENT_REQUEST]: STATEMENT });
  await bench.run();
  bench.responses.set(INVOICE_REQUEST, { ...INVOICE, dueDate: day('2026-03-23') });
  bench.now = new Date('2026-03-22T08:00:00+08:00');
  bench.isQueueDown = true;
  await bench.run();
  bench.isQueueDown = false;
  bench.now = new Date('2026-03-22T08:00:10+08:00');
  await bench.run();
  const changed = bench.events.slice(2);
  expect(changed.map(({ type, data }) => [type, (data as { dueDate?: string }).dueDate])).toEqual([
    ['settlementbus.invoice.issued.v1', '2026-03-23'],
    ['settlementbus.payment.due.v1', '2026-03-23'],
    ['settlementbus.payment.due.v1', '2026-03-23'],
  ]);
});

it('a saved state of a later release is logged once for each part, and detected again', async () => {
  const bench = open('2026-03-12T12:00:00', { [STATEMENT_REQUEST]: STATEMENT });
  const later = ['timeline', 'statement:WEM|2026-03-01|INITIAL', 'invoice:WEM|2026-03-01|INITIAL'];
  for (const part of later) bench.parts.set(part, '{"version":2}');
  await bench.runUntil('2026-03-12T12:02:00');
  expect(bench.lines.map(({ msg, state }) => [msg, state]).sort()).toEqual(
    later.map((part) => ['saved state unusable', part]).sort(),
  );
  expect(bench.types()).toEqual(['statement.published']);
});

describe('a statement that is revised', () => {
  const CHANGES = {
    count: 1,
    items: [
      {
        tradingDay: '2026-03-02T00:00:00',
        variable: 'ENERGY',
        pOrC: 'C',
        gstApplicable: 'Y',
        before: '20.25',
        after: '21.75',
        difference: '1.50',
        share: '100.00',
      },
    ],
    rest: { count: 0, payment: '0', charge: '0' },
  };
  const PART = 'statement:WEM|2026-03-01|INITIAL';
  const serve = (bench: PollBench, response: object, marketTime: string): Promise<unknown> => {
    bench.responses.set(STATEMENT_REQUEST, response);
    bench.now = toInstant(time(marketTime));
    return bench.run();
  };
  const changesOf = ({ events }: PollBench): unknown[] =>
    events.flatMap(({ type, data }) =>
      type === 'settlementbus.statement.revised.v1' ? [(data as { changes?: unknown }).changes] : [],
    );

  it('has what changed in each variable', async () => {
    const bench = open('2026-03-12T18:00:00', { [STATEMENT_REQUEST]: STATEMENT, [INVOICE_REQUEST]: INVOICE });
    await bench.run();
    await serve(bench, REVISED, '2026-03-14T12:00:00');
    expect(changesOf(bench)).toEqual([CHANGES]);
    // Only the run id is another one.
    await serve(bench, { ...REVISED, runId: 4713 }, '2026-03-15T12:00:00');
    expect(changesOf(bench)[1]).toEqual({ ...CHANGES, count: 0, items: [] });
  });

  it('has no changes without the variables of the version before, and has them in the next revision', async () => {
    const bench = open('2026-03-12T18:00:00', { [STATEMENT_REQUEST]: STATEMENT, [INVOICE_REQUEST]: INVOICE });
    await bench.run();
    bench.variables.clear();
    await serve(bench, REVISED, '2026-03-14T12:00:00');
    await serve(bench, { ...STATEMENT, runId: 4713 }, '2026-03-15T12:00:00');
    expect(changesOf(bench)).toMatchObject([
      undefined,
      { count: 1, items: [{ before: '21.75', after: '20.25', difference: '-1.50' }] },
    ]);
    expect(await bench.metrics.registry.metrics()).toContain(
      'settlement_bridge_poller_revisions_without_changes_total{reason="not-saved"} 1',
    );
  });

  it('keeps the variables while the timeline is unknown', async () => {
    const bench = open('2026-03-12T18:00:00', { [STATEMENT_REQUEST]: STATEMENT, [INVOICE_REQUEST]: INVOICE });
    await bench.run();
    const lost = open('2026-03-14T12:00:00', {});
    for (const [part, saved] of bench.variables) lost.variables.set(part, saved);
    lost.responses.set('timeline', new Error('no timeline'));
    await lost.run().catch(() => undefined);
    expect(lost.count('timeline')).toBe(1);
    expect(lost.variables.size).toBe(1);
  });

  it('is never compared with a version that was not announced', async () => {
    const bench = open('2026-03-12T18:00:00', { [STATEMENT_REQUEST]: STATEMENT, [INVOICE_REQUEST]: INVOICE });
    for (const hour of ['10', '12', '14'])
      await serve(bench, hour === '12' ? REVISED : STATEMENT, `2026-03-14T${hour}:00:00`);
    // The change to it was announced before, so it is held.
    await serve(bench, REVISED, '2026-03-14T16:00:00');
    expect(bench.variables.get(PART)?.variables).toContainEqual(expect.objectContaining({ value: '20.25' }));
    expect(changesOf(bench)).toHaveLength(2);
  });

  it('has its changes after the poller crashed before it was queued, and so has the next one', async () => {
    const bench = open('2026-03-12T18:00:00', { [STATEMENT_REQUEST]: STATEMENT, [INVOICE_REQUEST]: INVOICE });
    await bench.run();
    bench.isQueueDown = true;
    await serve(bench, REVISED, '2026-03-14T12:00:00').catch(() => undefined);
    bench.isQueueDown = false;
    // The variables of the announced version are saved by its next response.
    await serve(bench, REVISED, '2026-03-14T14:00:00');
    await serve(bench, { ...STATEMENT, runId: 4713 }, '2026-03-15T14:00:00');
    expect(changesOf(bench)).toMatchObject([CHANGES, { items: [{ difference: '-1.50' }] }]);
  });

  it('is compared as long as its run is in the timeline, or may come back', async () => {
    const bench = open('2026-03-12T18:00:00', { [STATEMENT_REQUEST]: STATEMENT, [INVOICE_REQUEST]: INVOICE });
    bench.variables.set('statement:WEM|2024-02-25|INITIAL', { digest: '', variables: [] });
    await bench.run();
    expect([...bench.variables.keys()]).toEqual([PART]);
    bench.responses.set('timeline', timelineOf({ ...RUN, designation: 'ADJ1' }));
    await bench.runUntil('2026-03-13T18:00:00', 600);
    expect([...bench.variables.keys()]).toEqual([PART]);
  });
});
