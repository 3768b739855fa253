import { waitFor } from '@ssb/testing';
import type { PollResult } from '../src/polls/responses.js';
import { PrudentialPoll } from '../src/polls/prudential-poll.js';
import { lines, market, metricOf, setUpPollerTests, start } from './support/running-poller.js';

setUpPollerTests();

/** With these a poll loop is stuck after 3.2 s: 20 intervals, and the timeouts of one request. A busy machine does not pause so long. */
const SHORT = {
  REQUEST_TIMEOUT_MS: '1000',
  REQUEST_BUDGET_WAIT_MS: '0',
  POLL_PRUDENTIAL_INTERVAL_MS: '60',
  POLL_SETTLEMENT_INTERVAL_MS: '1000',
};

interface Live {
  readonly status: string;
  readonly checks: Readonly<Record<string, object>>;
}

const live = async (url: string): Promise<Live> => (await (await fetch(`${url}/health/live`)).json()) as Live;

it('is live while every poll fails, and not live while one does not end', async () => {
  market.tokenStatus = 500;
  const { url } = await start(SHORT);
  const pauses = async (): Promise<number> =>
    (await metricOf(url, 'polls_skipped_total', { poll: 'prudential', reason: 'pause' })) ?? 0;
  await waitFor('pauses of 3.6 s', async () => (await pauses()) > 60);
  expect(await live(url)).toEqual({ status: 'ok', checks: { polls: { status: 'up' } } });
  let end = (): void => undefined;
  const blocked = new Promise<PollResult>((resolve) => {
    end = () =>
      resolve({ hasUsableResponse: true, failures: [], unusable: [], isReadable: () => true, leftOut: [] });
  });
  const poll = jest.spyOn(PrudentialPoll.prototype, 'run').mockReturnValue(blocked);
  await waitFor('the blocked poll', async () => (await live(url)).status === 'error', 60_000);
  const message = expect.stringContaining('No poll of the prudential interface started or ended');
  expect((await live(url)).checks).toEqual({ polls: { status: 'down', message } });
  poll.mockRestore();
  end();
  await waitFor('progress', async () => (await live(url)).status === 'ok');
  expect(lines.filter(({ msg }) => String(msg).startsWith('liveness'))).toMatchObject([
    { msg: 'liveness lost', what: 'polls' },
    { msg: 'liveness restored', what: 'polls' },
  ]);
});
