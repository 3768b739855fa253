import { budgetKeys } from '@ssb/request-budget';
import { waitFor } from '@ssb/testing';
import {
  asked,
  FROM,
  market,
  metric,
  participant,
  redis,
  start,
  steps,
  SUMMARY,
  summary,
  surroundEachTest,
  TIMELINE,
  timelineOf,
  lines,
} from './support/running-poller.js';
import { addDays } from '@ssb/market';

surroundEachTest();

/** Shorter than until room comes up again, so that a request is refused at once; longer than a busy machine takes for one. */
const WAIT_MS = '20000';

const failures = (url: string, poll: string, kind: string): Promise<string | undefined> =>
  metric(url, `poller_failures_total{poll="${poll}",kind="${kind}"}`);

describe('the request budget', () => {
  it('lets no more through than is set, and the poll is put off', async () => {
    const { url } = await start({ PRUDENTIAL_REQUESTS_PER_MINUTE: '3', REQUEST_BUDGET_WAIT_MS: WAIT_MS });
    await waitFor(
      'the used-up budget in the metrics',
      async () => (await failures(url, 'prudential', 'BudgetExhaustedError')) !== undefined,
    );
    expect(asked(SUMMARY)).toBe(3);
    expect(await metric(url, 'poller_requests_total{interface="prudential"}')).toMatch(/ 3$/);
  });

  it('that the polls can use up is warned of at the start, and another is not', async () => {
    await start({ PRUDENTIAL_REQUESTS_PER_MINUTE: '3', SETTLEMENT_REQUESTS_PER_MINUTE: '1000000' });
    const warned = lines.filter(({ level, budget }) => level === 'warn' && budget !== undefined);
    expect(warned).toMatchObject([{ budget: `${participant}:prudential`, requests: 3, ms: 60_000 }]);
  });

  it('is one for all replicas: who takes over finds it used', async () => {
    const changes = { PRUDENTIAL_REQUESTS_PER_FIVE_MINUTES: '3', REQUEST_BUDGET_WAIT_MS: WAIT_MS };
    const first = await start(changes);
    await waitFor('the requests', () => asked(SUMMARY) === 3);
    await first.close();
    const second = await start(changes);
    await waitFor(
      'the used-up budget in the metrics',
      async () => (await failures(second.url, 'prudential', 'BudgetExhaustedError')) !== undefined,
    );
    expect(asked(SUMMARY)).toBe(3);
  });

  it('of one interface is not touched by the other', async () => {
    const { url } = await start({ PRUDENTIAL_REQUESTS_PER_MINUTE: '1', REQUEST_BUDGET_WAIT_MS: WAIT_MS });
    await waitFor(
      'the used-up budget in the metrics',
      async () => (await failures(url, 'prudential', 'BudgetExhaustedError')) !== undefined,
    );
    const before = asked(TIMELINE);
    await waitFor('the requests', () => asked(TIMELINE) > before + 3);
  });

  it('ends a poll in the middle when there is no more room: the rest is asked for later', async () => {
    const weeks = Array.from({ length: 4 }, (_, week) => addDays(FROM, -7 * week));
    market.answers.set(TIMELINE, timelineOf(weeks));
    const { url } = await start({ SETTLEMENT_REQUESTS_PER_MINUTE: '4', REQUEST_BUDGET_WAIT_MS: WAIT_MS });
    await waitFor(
      'the used-up budget in the metrics',
      async () => (await failures(url, 'settlement', 'BudgetExhaustedError')) !== undefined,
    );
    expect(asked('/api/v2/settlements')).toBe(4);
  });

  it('is closed for everybody by a market that is asked too often', async () => {
    market.answers.set(SUMMARY, { later: 60 });
    await start();
    const { paused } = budgetKeys(`${participant}:prudential`);
    await waitFor('the pause in Redis', async () => (await redis.pttl(paused)) > 50_000);
  });

  it('does not hold the end of the app up, and is no failure then', async () => {
    market.answers.set(SUMMARY, summary('09:00:00', '300000'));
    const app = await start({
      PRUDENTIAL_REQUESTS_PER_MINUTE: '1',
      REQUEST_BUDGET_WAIT_MS: '300000',
    });
    await waitFor(
      'the second poll',
      async () => (await metric(app.url, 'poller_polls_total{poll="prudential"}'))?.endsWith(' 2') ?? false,
    );
    await app.close();
    expect(asked(SUMMARY)).toBe(1);
    expect(lines.filter(({ activity, level }) => activity === 'prudential' && level === 'warn')).toEqual([]);
  });
});

describe('what the interface document does not know', () => {
  it('is counted, and the rest is used', async () => {
    market.answers.set(SUMMARY, summary('09:00:00', '-1').replace('{', '{"new":1,"newer":{},'));
    const { url } = await start();
    await waitFor('1 queued events', () => steps('queued').length === 1);
    const counted = await metric(url, 'poller_unknown_properties_total');
    expect(counted).toMatch(/\{resource="PrudentialCalculationSummary"\} [2468]$/);
  });
});
