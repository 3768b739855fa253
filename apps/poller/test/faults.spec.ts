import { setTimeout as pause } from 'node:timers/promises';
import { addDays } from '@ssb/market';
import { waitFor } from '@ssb/testing';
import { pollerKeys } from '../src/keys.js';
import {
  asked,
  FROM,
  INVOICE,
  invoice,
  lines,
  market,
  metric,
  participant,
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
  timelineOf,
} from './support/running-poller.js';

surroundEachTest();

/** How many polls were left out since the market had failed one before. */
const pausedPolls = async (url: string, poll: string): Promise<number> =>
  Number(
    (await metric(url, `poller_polls_skipped_total{poll="${poll}",reason="pause"}`))?.split(' ').at(-1) ?? 0,
  );

describe('trouble', () => {
  it('does not end the loop, and is logged once', async () => {
    market.answers.set(SUMMARY, 503);
    const { url } = await start();
    await waitFor('the requests', () => asked(SUMMARY) >= 5);
    expect(
      lines.filter((line) => line['activity'] === 'prudential' && line['level'] === 'warn'),
    ).toHaveLength(1);
    expect(
      await metric(url, 'poller_failures_total{poll="prudential",kind="ReportingUnavailableError"}'),
    ).toBeDefined();
    market.answers.set(SUMMARY, summary('09:00:00', '-1'));
    await waitFor('1 queued events', () => steps('queued').length === 1);
  });

  it('is no reason to drop the other statements and invoices: a malformed answer is counted, the rest is told', async () => {
    market.answers.set(TIMELINE, timeline());
    market.answers.set(STATEMENT, '{"runId":"seven"}');
    market.answers.set(INVOICE, invoice());
    const { url } = await start();
    await waitFor('1 queued events', () => steps('queued').length === 1);
    expect(steps('queued')[0]?.['eventType']).toBe('settlementbus.invoice.issued.v1');
    expect(
      await metric(url, 'poller_failures_total{poll="settlement",kind="MalformedResponseError"}'),
    ).toBeDefined();
  });

  it('that asks for a pause gets it at once: nothing more is asked for in the same poll, nor in the next', async () => {
    const weeks = Array.from({ length: 10 }, (_, week) => addDays(FROM, -7 * week));
    market.answers.set(TIMELINE, timelineOf(weeks));
    for (const from of weeks)
      market.answers.set(`/api/v2/settlements/WEM/summary/${from}/INITIAL`, { later: 60 });
    const { url } = await start();
    await waitFor('the skipped polls', async () => (await pausedPolls(url, 'settlement')) >= 3);
    // Those that were under way beside the first refusal, of the twenty that were due.
    expect(asked('/api/v2/settlements/WEM')).toBeLessThanOrEqual(5);
    expect(asked(TIMELINE)).toBe(1);
  });

  it('that lasts makes the poller ask ever less', async () => {
    market.answers.set(SUMMARY, 503);
    // Long enough for a busy machine to come in time to each.
    const { url } = await start({ POLL_PRUDENTIAL_INTERVAL_MS: '200' });
    await waitFor('the skipped polls', async () => (await pausedPolls(url, 'prudential')) >= 10);
    expect(asked(SUMMARY)).toBeLessThan(10);
  });

  it('never polls twice at a time: what comes due meanwhile is skipped and counted', async () => {
    let open = (): void => undefined;
    market.gate = new Promise((resolve) => (open = resolve));
    const { url } = await start();
    await waitFor('the requests', async () =>
      /[1-9]$/.test((await metric(url, 'poller_polls_skipped_total{poll="prudential"')) ?? ''),
    );
    expect(await metric(url, 'poller_polls_total{poll="prudential"}')).toMatch(/ 1$/);
    open();
    await waitFor('the requests', () => asked(SUMMARY) >= 2);
  });
});

describe('two replicas', () => {
  const TTL_MS = 60_000;

  it('one polls; the other says that it stands by, and takes over when the first stops', async () => {
    market.answers.set(SUMMARY, summary('09:00:00', '300000'));
    const first = await start({ LEASE_TTL_MS: String(TTL_MS) });
    await waitFor('the leader', async () => (await metric(first.url, 'poller_leader')) === 'poller_leader 1');
    const second = await start({ LEASE_TTL_MS: String(TTL_MS) });
    // Standing by is a state to be ready in: a deployment must not wait for a lease that another replica holds.
    for (const { url } of [first, second]) expect((await fetch(`${url}/health/ready`)).status).toBe(200);
    expect(await metric(second.url, 'poller_leader')).toBe('poller_leader 0');
    await first.close();
    const stopped = performance.now();
    market.answers.set(SUMMARY, summary('10:00:00', '-1'));
    await waitFor('1 queued events', () => steps('queued').length === 1);
    // Sooner than the lease's time to live: nobody waited for it to run out.
    expect(performance.now() - stopped).toBeLessThan(TTL_MS / 2);
    expect(await metric(second.url, 'poller_leader')).toBe('poller_leader 1');
  });
});

describe('a lease that is lost in the middle of a poll', () => {
  it('ends the asking, and nothing of it is remembered', async () => {
    const weeks = Array.from({ length: 10 }, (_, week) => addDays(FROM, -7 * week));
    market.answers.set(TIMELINE, timelineOf(weeks));
    await start();
    await waitFor('the requests', () => asked('/api/v2/settlements/WEM') > 0);
    let open = (): void => undefined;
    market.gate = new Promise((resolve) => (open = resolve));
    // As another replica leaves them that took over while this one was not looking.
    const { lease, fence } = pollerKeys(participant);
    await redis.mset(lease, 'another', fence, String(Number.MAX_SAFE_INTEGER));
    await waitFor('the end of the leadership', () => lines.some((line) => line['leader'] === false));
    market.answers.set(STATEMENT, statement());
    const before = asked('/api/v2/settlements/WEM');
    open();
    // Long enough for the rest of the twenty, were they asked for.
    await pause(200);
    // Each of those under way had been sent before; the market notes them when the gate opens.
    expect(asked('/api/v2/settlements/WEM') - before).toBeLessThanOrEqual(4);
    expect(await redis.hkeys(pollerKeys(participant).state)).toEqual([]);
  });
});
