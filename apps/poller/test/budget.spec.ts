import { waitFor } from '@ssb/testing';
import { FROM, CALCULATIONS, calculations, TIMELINE, timelineWithWeeks } from './support/market-responses.js';
import {
  requestCount,
  market,
  metricOf,
  participant,
  start,
  setUpPollerTests,
  lines,
} from './support/running-poller.js';
import { addDays } from '@ssb/market';

setUpPollerTests();

/** Shorter than the time until the budget has room, so a request is refused at once, and longer than a request takes. */
const WAIT_MS = '20000';

/** Waits until polls of the interface fail because the budget is used up. */
const waitForUsedUp = (url: string, poll: string): Promise<number> =>
  waitFor('the used-up budget in the metrics', () =>
    metricOf(url, 'failures_total', { poll, kind: 'BudgetExhaustedError' }),
  );

describe('the request budget', () => {
  it('admits no more requests than its limit, which is reported at the start, and delays no other interface', async () => {
    const { url } = await start({ PRUDENTIAL_REQUESTS_PER_MINUTE: '3', REQUEST_BUDGET_WAIT_MS: WAIT_MS });
    const warnings = lines.filter(({ level, budget }) => level === 'warn' && budget !== undefined);
    expect(warnings).toContainEqual(
      expect.objectContaining({ budget: `${participant}:prudential`, requests: 3, ms: 60_000 }),
    );
    await waitForUsedUp(url, 'prudential');
    expect(requestCount(CALCULATIONS)).toBe(3);
    expect(await metricOf(url, 'requests_total', { interface: 'prudential' })).toBe(3);
    const before = requestCount(TIMELINE);
    await waitFor('requests to the other interface', () => requestCount(TIMELINE) > before + 3);
  });

  it('ends a running poll when it is used up', async () => {
    const weeks = Array.from({ length: 4 }, (_, week) => addDays(FROM, -7 * week));
    market.responses.set(TIMELINE, timelineWithWeeks(weeks));
    const { url } = await start({ SETTLEMENT_REQUESTS_PER_MINUTE: '4', REQUEST_BUDGET_WAIT_MS: WAIT_MS });
    await waitForUsedUp(url, 'settlement');
    expect(requestCount('/api/v2/settlements')).toBe(4);
  });

  it('does not delay the shutdown and is not counted as a failure then', async () => {
    market.responses.set(CALCULATIONS, calculations(['09:00:00', '300000']));
    const app = await start({
      PRUDENTIAL_REQUESTS_PER_MINUTE: '1',
      REQUEST_BUDGET_WAIT_MS: '300000',
    });
    await waitFor(
      'the second poll',
      async () => (await metricOf(app.url, 'polls_total', { poll: 'prudential' })) === 2,
    );
    await app.close();
    expect(requestCount(CALCULATIONS)).toBe(1);
    expect(lines.filter(({ activity, level }) => activity === 'prudential' && level === 'warn')).toEqual([]);
  });
});
