import { waitFor } from '@ssb/testing';
import { definition } from '../src/settings.js';
import { FROM, STATEMENT, statement, TIMELINE, timeline } from './support/market-responses.js';
import {
  facts,
  market,
  metric,
  participant,
  requestCount,
  setUpPollerTests,
  start,
} from './support/running-poller.js';

setUpPollerTests();

/** The intervals at which an operator runs the poller, except that of what is due. */
const INTERVALS = Object.fromEntries(
  (
    [
      'TIMELINE_INTERVAL_MS',
      'SETTLEMENT_OVERDUE_INTERVAL_MS',
      'SETTLEMENT_COMMENCED_INTERVAL_MS',
      'SETTLEMENT_EARLY_INTERVAL_MS',
      'SETTLEMENT_RECHECK_INTERVAL_MS',
      'SETTLEMENT_LATER_RECHECK_INTERVAL_MS',
    ] as const
  ).map((name) => [name, definition[name].default]),
);

const polls = async (url: string): Promise<number> =>
  Number(
    (
      await metric(
        url,
        `settlement_bridge_poller_polls_total{participant="${participant}",poll="settlement"}`,
      )
    )
      ?.split(' ')
      .at(-1) ?? 0,
  );

it('a missing statement is requested until it is there, and all that is not due is requested once', async () => {
  market.responses.set(TIMELINE, timeline());
  const { url } = await start(INTERVALS);
  await waitFor('requests for the statement', () => requestCount(STATEMENT) >= 5);
  market.responses.set(STATEMENT, statement());
  await waitFor('the statement', () => facts().length === 1);
  const seen = requestCount(STATEMENT);
  const before = await polls(url);
  await waitFor('polls without requests', async () => (await polls(url)) > before + 3);
  expect(requestCount(STATEMENT)).toBe(seen);
  // The timeline, the invoice that is due tomorrow, and the run of the next month.
  const others = market.requests
    .filter((path) => path.includes('/settlements/') && path !== STATEMENT)
    .map((path) => path.replace(/^\/api\/v2\/settlements\//, '').replace(/\?.*/, ''));
  expect(others.sort()).toEqual([
    `WEM/invoice/${FROM}/ADJ1`,
    `WEM/invoice/${FROM}/INITIAL`,
    `WEM/summary/${FROM}/ADJ1`,
    'timeline',
  ]);
});
