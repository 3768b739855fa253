import { addDays } from '@ssb/market';
import { createLogger } from '@ssb/platform';
import { waitFor } from '@ssb/testing';
import { pollerKeys } from '../src/state/poller-keys.js';
import { UnknownParticipantError } from '../src/participants/plan-participants.js';
import { PollerModule } from '../src/poller.module.js';
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
  participant,
  prefix,
  settings,
  redis,
  start,
  facts,
  steps,
  setUpPollerTests,
  type Line,
} from './support/running-poller.js';

setUpPollerTests();

it('the calculations are read from the recovery days, then from the day before the latest, to 31 days ahead', async () => {
  market.responses.set(CALCULATIONS, calculations(['09:00:00', '300000']));
  await start();
  await waitFor('the requests', () => requestCount(CALCULATIONS) >= 2);
  const from = (day: string) => `${CALCULATIONS}?dateFrom=${day}&dateTo=${addDays(TODAY, 31)}`;
  const requests = market.requests.filter((url) => url.startsWith(CALCULATIONS));
  expect(requests.slice(0, 2)).toEqual([from(addDays(TODAY, -14)), from(addDays(TRADING_DAY, -1))]);
});

describe('the margin', () => {
  it('becomes an event only when its level changes', async () => {
    market.responses.set(CALCULATIONS, calculations(['09:00:00', '300000']));
    const { url } = await start();
    await waitFor('the requests', () => requestCount(CALCULATIONS) >= 3);
    expect(await metric(url, 'settlement_bridge_poller_trading_margin_aud')).toBe(
      `settlement_bridge_poller_trading_margin_aud{participant="${participant}"} 300000`,
    );
    expect(await metric(url, 'settlement_bridge_poller_last_calculation_timestamp_seconds')).toBe(
      `settlement_bridge_poller_last_calculation_timestamp_seconds{participant="${participant}"} ${Date.parse(factTime('09:00:00')) / 1_000}`,
    );
    expect(
      await metric(url, `settlement_bridge_poller_margin_level{participant="${participant}",level="OK"}`),
    ).toMatch(/ 1$/);
    expect(facts()).toEqual([]);
    market.responses.set(CALCULATIONS, calculations(['10:00:00', '249999.99999999']));
    await waitFor('1 queued events', () => facts().length === 1);
    market.responses.set(CALCULATIONS, calculations(['11:00:00', '-0.00000001']));
    await waitFor('2 queued events', () => facts().length === 2);
    market.responses.set(CALCULATIONS, calculations(['12:00:00', '25000']));
    await waitFor('3 queued events', () => facts().length === 3);
    const before = requestCount(CALCULATIONS);
    await waitFor('the requests', () => requestCount(CALCULATIONS) > before + 3);
    const events = await drain();
    expect(events.map(({ type, data }) => [type, (data as unknown as Line)['tradingMargin']])).toEqual([
      ['settlementbus.margin.warning.v1', '249999.99999999'],
      ['settlementbus.margin.breached.v1', '-0.00000001'],
      ['settlementbus.margin.restored.v1', '25000'],
    ]);
  });

  it('becomes an event at once when it is breached and no state is saved', async () => {
    market.responses.set(CALCULATIONS, calculations(['09:00:00', '-1']));
    const { url } = await start({ METRICS_BUSINESS: 'false' });
    await waitFor('1 queued events', () => facts().length === 1);
    expect(await metric(url, 'settlement_bridge_poller_trading_margin_aud')).toBeUndefined();
    expect(facts()[0]).toMatchObject({
      eventType: 'settlementbus.margin.breached.v1',
      subject: `${participant}/prudential`,
      factTime: factTime('09:00:00'),
      eventId: expect.any(String),
    });
  });

  it('is one event when the poller stops before it saves the state: the id is the same', async () => {
    market.responses.set(CALCULATIONS, calculations(['09:00:00', '-1']));
    const first = await start();
    await waitFor('1 queued events', () => facts().length === 1);
    await first.close();
    await redis.del(pollerKeys(prefix, participant).state);
    await start();
    await waitFor('2 queued events', () => facts().length === 2);
    expect(facts()[0]?.['eventId']).toBe(facts()[1]?.['eventId']);
    expect(await drain()).toHaveLength(1);
  });

  it.each<[string, string]>([
    [
      'of another participant',
      '[{"participantCode":"OTHER","tradingDay":"2026-03-02T00:00:00","tradingMargin":-1,"calculatedAt":"2026-03-02T09:00:00"}]',
    ],
    ['without the time of its calculation', '[{"tradingDay":"2026-03-02T00:00:00","tradingMargin":-1}]'],
  ])('%s is a failure and is not used', async (_, response) => {
    market.responses.set(CALCULATIONS, response);
    const { url } = await start();
    await waitFor('the requests', () => requestCount(CALCULATIONS) >= 2);
    expect(steps('detected')).toEqual([]);
    expect(
      await metric(
        url,
        `settlement_bridge_poller_failures_total{participant="${participant}",poll="prudential",kind="UnusableResponseError"}`,
      ),
    ).toBeDefined();
  });
});

describe('settlement', () => {
  it('requests what is due, and raises each statement and invoice once when it is there', async () => {
    market.responses.set(TIMELINE, timeline());
    await start();
    await waitFor('the requests', () => requestCount(STATEMENT) >= 2 && requestCount(INVOICE) >= 2);
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

  it('fetches the timeline for the invoice days around today, in market time', async () => {
    await start({ TIMELINE_LOOKBACK_DAYS: '3', TIMELINE_LOOKAHEAD_DAYS: '4' });
    await waitFor('the requests', () => requestCount(TIMELINE) >= 1);
    // The market's midnight may have passed since this file was loaded.
    const around = [TODAY, addDays(TODAY, 1)].map(
      (today) => `${TIMELINE}?invoiceDateFrom=${addDays(today, -3)}&invoiceDateTo=${addDays(today, 4)}`,
    );
    expect(around).toContain(market.requests.find((url) => url.startsWith(TIMELINE)));
  });

  it('refuses a statement of another participant and still uses the invoice', async () => {
    market.responses.set(TIMELINE, timeline());
    market.responses.set(STATEMENT, statement('OTHER'));
    market.responses.set(INVOICE, invoice());
    await start();
    await waitFor('1 queued events', () => facts().length === 1);
    expect(facts()[0]?.['eventType']).toBe('settlementbus.invoice.issued.v1');
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

describe('the start', () => {
  it('is refused when CONFIG_FILE does not contain the participant', async () => {
    const given = { ...settings(), PARTICIPANT: 'UNKNOWN' };
    const log = createLogger({ name: 'poller', level: 'silent', format: 'json' });
    await expect(PollerModule.register(given, log)).rejects.toThrow(UnknownParticipantError);
  });
});
