import { addDays } from '@ssb/market';
import { waitFor } from '@ssb/testing';
import { pollerKeys } from '../src/keys.js';
import { PollerModule, UnknownParticipantError } from '../src/poller.module.js';
import {
  asked,
  drain,
  FROM,
  INVOICE,
  invoice,
  market,
  metric,
  participant,
  prefix,
  settings,
  redis,
  start,
  STATEMENT,
  statement,
  steps,
  SUMMARY,
  summary,
  surroundEachTest,
  TIMELINE,
  timeline,
  TODAY,
  type Line,
} from './support/running-poller.js';

surroundEachTest();

describe('the margin', () => {
  it('becomes an event when it goes over a threshold, and only then', async () => {
    market.answers.set(SUMMARY, summary('09:00:00', '300000'));
    await start();
    await waitFor('the requests', () => asked(SUMMARY) >= 3);
    expect(steps('detected')).toEqual([]);
    market.answers.set(SUMMARY, summary('10:00:00', '249999.99999999'));
    await waitFor('1 queued events', () => steps('queued').length === 1);
    market.answers.set(SUMMARY, summary('11:00:00', '-0.00000001'));
    await waitFor('2 queued events', () => steps('queued').length === 2);
    market.answers.set(SUMMARY, summary('12:00:00', '25000'));
    await waitFor('3 queued events', () => steps('queued').length === 3);
    const before = asked(SUMMARY);
    await waitFor('the requests', () => asked(SUMMARY) > before + 3);
    const events = await drain();
    expect(events.map(({ type, data }) => [type, (data as unknown as Line)['tradingMargin']])).toEqual([
      ['settlementbus.margin.warning.v1', '249999.99999999'],
      ['settlementbus.margin.breached.v1', '-0.00000001'],
      ['settlementbus.margin.restored.v1', '25000'],
    ]);
  });

  it('is told at once when it is bad and nothing is remembered', async () => {
    market.answers.set(SUMMARY, summary('09:00:00', '-1'));
    await start();
    await waitFor('1 queued events', () => steps('queued').length === 1);
    expect(steps('queued')[0]).toMatchObject({
      eventType: 'settlementbus.margin.breached.v1',
      subject: `${participant}/prudential`,
      publishedAt: '2026-03-02T09:00:00+08:00',
      eventId: expect.any(String),
    });
  });

  it('is one event when the poller dies between queue and memory: the same id is found again', async () => {
    market.answers.set(SUMMARY, summary('09:00:00', '-1'));
    const first = await start();
    await waitFor('1 queued events', () => steps('queued').length === 1);
    await first.close();
    await redis.del(pollerKeys(participant).state);
    await start();
    await waitFor('2 queued events', () => steps('queued').length === 2);
    expect(steps('queued')[0]?.['eventId']).toBe(steps('queued')[1]?.['eventId']);
    expect(await drain()).toHaveLength(1);
  });

  it('is told in full when the poller died after announcing a breach and the margin has recovered since', async () => {
    market.answers.set(SUMMARY, summary('09:00:00', '-1'));
    const first = await start();
    await waitFor('1 queued events', () => steps('queued').length === 1);
    await first.close();
    const [breach] = await drain();
    // As the poller leaves it when it is killed before the queue has the event: announced, neither queued nor remembered.
    const { state } = pollerKeys(participant);
    const intent = { margin: { level: 'BREACHED', calculatedAt: '2026-03-02T09:00:00' }, event: breach };
    await redis.del(state);
    await redis.hset(state, 'margin-intent', JSON.stringify(intent));
    for (const key of await redis.keys(`${prefix}*`)) await redis.del(key);
    market.answers.set(SUMMARY, summary('10:00:00', '300000'));
    await start();
    await waitFor('3 queued events', () => steps('queued').length === 3);
    expect((await drain()).map(({ type }) => type)).toEqual([
      'settlementbus.margin.breached.v1',
      'settlementbus.margin.restored.v1',
    ]);
    expect(await redis.hkeys(state)).toEqual(['margin']);
  });

  it.each<[string, string]>([
    [
      'of another participant',
      '{"participantCode":"OTHER","tradingDay":"2026-03-02T00:00:00","tradingMargin":-1,"calculatedAt":"2026-03-02T09:00:00"}',
    ],
    ['without the time of its calculation', '{"tradingDay":"2026-03-02T00:00:00","tradingMargin":-1}'],
  ])('%s is counted as a failure and not used', async (_, answer) => {
    market.answers.set(SUMMARY, answer);
    const { url } = await start();
    await waitFor('the requests', () => asked(SUMMARY) >= 2);
    expect(steps('detected')).toEqual([]);
    expect(
      await metric(url, 'poller_failures_total{poll="prudential",kind="UnusableAnswerError"}'),
    ).toBeDefined();
  });
});

describe('settlement', () => {
  it('asks for what the timeline lets expect it is there, and then no more', async () => {
    market.answers.set(TIMELINE, timeline());
    await start();
    await waitFor('the requests', () => asked(STATEMENT) >= 2 && asked(INVOICE) >= 2);
    market.answers.set(STATEMENT, statement());
    await waitFor('1 queued events', () => steps('queued').length === 1);
    market.answers.set(INVOICE, invoice());
    await waitFor('2 queued events', () => steps('queued').length === 2);
    const before = { timeline: asked(TIMELINE), statement: asked(STATEMENT), invoice: asked(INVOICE) };
    await waitFor('the requests', () => asked(TIMELINE) > before.timeline + 3);
    expect({ statement: asked(STATEMENT), invoice: asked(INVOICE) }).toEqual({
      statement: before.statement,
      invoice: before.invoice,
    });
    expect(market.asked.some((url) => url.includes('ADJ1'))).toBe(false);
    const events = await drain();
    expect(events.map(({ type, subject }) => [type, subject])).toEqual([
      ['settlementbus.statement.published.v1', `${participant}/WEM/${FROM}/INITIAL`],
      ['settlementbus.invoice.issued.v1', `${participant}/WEM/${FROM}/INITIAL/invoice/INV-1`],
    ]);
    // Summed by hand; a double would have lost the last eight digits.
    expect(events[0]?.data).toMatchObject({
      runId: 7,
      tradingDays: 1,
      totals: { payment: '123456789012345.67890124', charge: '20.10' },
    });
    expect(events[1]?.data).toMatchObject({ id: 'INV-1', adjustment: 0, payableAmount: '10.00' });
  });

  it('asks for the timeline by the invoice days around today, in market time', async () => {
    await start({ TIMELINE_LOOKBACK_DAYS: '3', TIMELINE_LOOKAHEAD_DAYS: '4' });
    await waitFor('the requests', () => asked(TIMELINE) >= 1);
    // The market's midnight may have passed since this file was read.
    const around = [TODAY, addDays(TODAY, 1)].map(
      (today) => `${TIMELINE}?invoiceDateFrom=${addDays(today, -3)}&invoiceDateTo=${addDays(today, 4)}`,
    );
    expect(around).toContain(market.asked.find((url) => url.startsWith(TIMELINE)));
  });

  it('refuses a statement that is another participant’s, and still takes the invoice', async () => {
    market.answers.set(TIMELINE, timeline());
    market.answers.set(STATEMENT, statement('OTHER'));
    market.answers.set(INVOICE, invoice());
    await start();
    await waitFor('1 queued events', () => steps('queued').length === 1);
    expect(steps('queued')[0]?.['eventType']).toBe('settlementbus.invoice.issued.v1');
  });
});

describe('the start', () => {
  it('is refused when the operator’s file does not name the participant', () => {
    const given = { ...settings(), PARTICIPANT: 'NOBODY' };
    expect(() => PollerModule.register(given)).toThrow(UnknownParticipantError);
  });
});
