import { BrokerAdminError } from '@ssb/bus/provisioning';
import { waitForBus } from './wait-for-bus.js';

const CONTROL = '\u001b[2J';

/** Fails this often, then succeeds. */
const failing = (times: number, error: Error) => (): Promise<string> =>
  (times -= 1) < 0 ? Promise.resolve('done') : Promise.reject(error);

it('shows why it waits in one line, without what a terminal would interpret', async () => {
  const lines: string[] = [];
  const wait = waitForBus(Date.now() + 60_000, (line) => lines.push(line));
  const error = new BrokerAdminError('GET /channel', 503, CONTROL + 'x'.repeat(10_000));
  expect(await wait('broker', failing(2, error))).toBe('done');
  expect(lines).toEqual([expect.stringMatching(/^waiting for the broker: .*503: \\u001b\[2Jx+…$/)]);
  expect(lines[0]).toHaveLength(500);
});

it.each([
  ['a refusal', new BrokerAdminError('GET /channel', 403, ''), 60_000],
  ['an unavailable broker after the deadline', new BrokerAdminError('GET /channel', 503, ''), 0],
])('does not repeat after %s', async (_, error, timeoutMs) => {
  const lines: string[] = [];
  const wait = waitForBus(Date.now() + timeoutMs, (line) => lines.push(line));
  await expect(wait('broker', failing(1, error))).rejects.toBe(error);
  expect(lines).toEqual([]);
});
