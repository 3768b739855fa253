import { setTimeout as pause } from 'node:timers/promises';
import { addDays } from '@ssb/market';
import { waitFor } from '@ssb/testing';
import { pollerKeys } from '../src/state/poller-keys.js';
import {
  factTime,
  FROM,
  INVOICE,
  invoice,
  STATEMENT,
  statement,
  CALCULATIONS,
  calculations,
  TIMELINE,
  timeline,
  timelineWithWeeks,
  TODAY,
  TRADING_DAY,
} from './support/market-responses.js';
import {
  requestCount,
  consume,
  drain,
  lines,
  market,
  metric,
  metricOf,
  participant,
  prefix,
  redis,
  start,
  facts,
  setUpPollerTests,
  type Line,
} from './support/running-poller.js';

setUpPollerTests();

describe('the margin', () => {
  it('is read from the days that may have changed, and becomes an event only when its level changes', async () => {
    market.responses.set(CALCULATIONS, calculations(['09:00:00', '300000']));
    const { url } = await start();
    await waitFor('the requests', () => requestCount(CALCULATIONS) >= 3);
    const requests = market.requests.filter((path) => path.startsWith(CALCULATIONS));
    // From the recovery days, then from the day before the latest. The market's midnight may have passed since this file was loaded.
    const expected = [TODAY, addDays(TODAY, 1)].map((today) =>
      [addDays(today, -14), addDays(TRADING_DAY, -1)].map(
        (from) => `${CALCULATIONS}?dateFrom=${from}&dateTo=${addDays(today, 31)}`,
      ),
    );
    expect(expected).toContainEqual(requests.slice(0, 2));
    expect(await metricOf(url, 'trading_margin_aud')).toBe(300_000);
    expect(await metricOf(url, 'last_calculation_timestamp_seconds')).toBe(
      Date.parse(factTime('09:00:00')) / 1_000,
    );
    expect(await metricOf(url, 'margin_level', { level: 'OK' })).toBe(1);
    expect(facts()).toEqual([]);
    market.responses.set(CALCULATIONS, calculations(['10:00:00', '249999.99999999']));
    await waitFor('1 queued events', () => facts().length === 1);
    market.responses.set(CALCULATIONS, calculations(['11:00:00', '-0.00000001']));
    await waitFor('2 queued events', () => facts().length === 2);
    market.responses.set(CALCULATIONS, calculations(['12:00:00', '25000']));
    await waitFor('3 queued events', () => facts().length === 3);
    const before = requestCount(CALCULATIONS);
    await waitFor('the requests', () => requestCount(CALCULATIONS) > before + 2);
    const events = await drain();
    expect(events.map(({ type, data }) => [type, (data as unknown as Line)['tradingMargin']])).toEqual([
      ['settlementbus.margin.warning.v1', '249999.99999999'],
      ['settlementbus.margin.breached.v1', '-0.00000001'],
      ['settlementbus.margin.restored.v1', '25000'],
    ]);
  });

  it('becomes an event at once when it is breached and no state is saved; unknown properties are counted', async () => {
    const unknown = calculations(['09:00:00', '-1']).replace('{', '{"new":1,"newer":{},');
    market.responses.set(CALCULATIONS, unknown);
    const { url } = await start({ METRICS_BUSINESS: 'false' });
    await waitFor('1 queued events', () => facts().length === 1);
    const counted = await metric(url, 'settlement_bridge_poller_unknown_properties_total');
    // Two of each response.
    expect(counted).toMatch(/\{resource="PrudentialCalculation\[\]"\} \d*[02468]$/);
    expect(await metricOf(url, 'trading_margin_aud')).toBeUndefined();
    expect(facts()[0]).toMatchObject({
      eventType: 'settlementbus.margin.breached.v1',
      subject: `${participant}/prudential`,
      factTime: factTime('09:00:00'),
      eventId: expect.any(String),
    });
  });
});

describe('settlement', () => {
  it('requests what is due, and raises each statement and invoice once when it is there', async () => {
    market.responses.set(TIMELINE, timeline());
    await start({ TIMELINE_LOOKBACK_DAYS: '3', TIMELINE_LOOKAHEAD_DAYS: '4' });
    await waitFor('the requests', () => requestCount(STATEMENT) >= 2 && requestCount(INVOICE) >= 2);
    // The invoice days around today, in market time. The market's midnight may have passed since this file was loaded.
    const around = [TODAY, addDays(TODAY, 1)].map(
      (today) => `${TIMELINE}?invoiceDateFrom=${addDays(today, -3)}&invoiceDateTo=${addDays(today, 4)}`,
    );
    expect(around).toContain(market.requests.find((url) => url.startsWith(TIMELINE)));
    market.responses.set(STATEMENT, statement());
    await waitFor('1 queued events', () => facts().length === 1);
    market.responses.set(INVOICE, invoice());
    await waitFor('2 queued events', () => facts().length === 2);
    const before = { timeline: requestCount(TIMELINE), statement: requestCount(STATEMENT) };
    await waitFor(
      'the re-checks',
      () => requestCount(TIMELINE) > before.timeline + 3 && requestCount(STATEMENT) > before.statement + 3,
    );
    // The run of the next month is requested once a day.
    expect(market.requests.filter((url) => url.endsWith('/ADJ1'))).toHaveLength(2);
    const events = await drain();
    expect(events.map(({ type, subject }) => [type, subject])).toEqual([
      ['settlementbus.statement.published.v1', `${participant}/WEM/${FROM}/INITIAL`],
      ['settlementbus.invoice.issued.v1', `${participant}/WEM/${FROM}/INITIAL/invoice/INV-1`],
    ]);
    // Summed by hand; a double loses the last eight digits.
    expect(events[0]?.data).toMatchObject({
      runId: 7,
      tradingDays: 1,
      totals: { payment: '123456789012345.67890124', charge: '20.10' },
    });
    expect(events[1]?.data).toMatchObject({ id: 'INV-1', adjustment: 0, payableAmount: '10.00' });
  });
});

describe('a poll', () => {
  it('never overlaps another one, which is skipped and counted', async () => {
    let open = (): void => undefined;
    market.gate = new Promise((resolve) => (open = resolve));
    const { url } = await start();
    const skipped = { poll: 'prudential', reason: 'still-running' };
    await waitFor('a skipped poll', async () => (await metricOf(url, 'polls_skipped_total', skipped)) !== 0);
    expect(await metricOf(url, 'polls_total', { poll: 'prudential' })).toBe(1);
    open();
    await waitFor('the requests', () => requestCount(CALCULATIONS) >= 2);
  });

  it('ends when the lease is lost, and saves nothing', async () => {
    const weeks = Array.from({ length: 10 }, (_, week) => addDays(FROM, -7 * week));
    market.responses.set(TIMELINE, timelineWithWeeks(weeks));
    await start();
    await waitFor('the requests', () => requestCount('/api/v2/settlements/WEM') > 0);
    let open = (): void => undefined;
    market.gate = new Promise((resolve) => (open = resolve));
    // The keys after another replica has taken over.
    const { lease, fence } = pollerKeys(prefix, participant);
    await redis.mset(lease, 'another', fence, String(Number.MAX_SAFE_INTEGER));
    await waitFor('the end of the leadership', () => lines.some((line) => line['leader'] === false));
    market.responses.set(STATEMENT, statement());
    const { state } = pollerKeys(prefix, participant);
    const saved = await redis.hgetall(state);
    const before = requestCount('/api/v2/settlements/WEM');
    open();
    // Long enough for the rest of the twenty requests, if they were sent.
    await pause(200);
    // Requests in flight were sent before; the market records them when the gate opens.
    expect(requestCount('/api/v2/settlements/WEM') - before).toBeLessThanOrEqual(4);
    expect(await redis.hgetall(state)).toEqual(saved);
  });
});

describe('the clock', () => {
  it('that differs from the market is reported, and its correction too', async () => {
    const { url } = await start();
    const offset = async (source: string): Promise<number> =>
      Number(
        (await metric(url, `settlement_bridge_clock_offset_seconds{source="${source}"}`))?.split(' ').at(-1),
      );
    const health = async (): Promise<unknown> => (await fetch(`${url}/health`)).json();
    const reported = (message: string): boolean => lines.some(({ msg }) => msg === message);
    for (const source of ['prudential', 'settlement', 'token', 'redis'])
      await waitFor(`the clock of ${source}`, async () => Math.abs(await offset(source)) < 10);
    market.clockAheadMs = 120_000;
    await waitFor('the fault', () => reported('fault reported'));
    // The offset has an uncertainty of a second.
    await waitFor('both offsets', async () =>
      [await offset('prudential'), await offset('settlement')].every((each) => Math.abs(each + 120) < 5),
    );
    expect(Math.abs(await offset('redis'))).toBeLessThan(10);
    expect(lines).toContainEqual(
      expect.objectContaining({ level: 'warn', msg: 'clock offset beyond limit', source: 'prudential' }),
    );
    expect(await health()).toMatchObject({
      status: 'degraded',
      faults: [
        { reason: 'clock-offset', participant: '*', detail: expect.stringMatching(/behind prudential/) },
      ],
    });
    market.clockAheadMs = 0;
    await waitFor('the end of the fault', () => reported('fault ended'));
    expect(await health()).toMatchObject({ status: 'ok', faults: [] });
    const { events, close } = consume();
    const alerts = (): string[] =>
      events
        .filter(({ type }) => type.startsWith('settlementbus.bridge.alert.'))
        .map(({ subject, type }) => `${subject} ${type}`);
    await waitFor('both alerts', () => alerts().length >= 2);
    await close();
    expect(alerts()).toEqual([
      `*/bridge/poller/clock-offset settlementbus.bridge.alert.raised.v1`,
      `*/bridge/poller/clock-offset settlementbus.bridge.alert.cleared.v1`,
    ]);
  });
});
