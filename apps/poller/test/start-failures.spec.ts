import { describeStartFailure } from '@ssb/platform';
import { runToEnd } from '@ssb/testing';
import { queue, redis, server, setUpPollerTests, start, variables } from './support/running-poller.js';

setUpPollerTests();

/** The app as it is shipped. */
const bundle = new URL('../../../../bundles/poller.js', import.meta.url).pathname;

it('a port in use ends the poller with exit status 78 and one sentence, after a log line for each warning of the configuration', async () => {
  const environment = variables({ PORT: String(server.port), LOG_FORMAT: 'json' });
  const { status, stderr, stdout } = await runToEnd(bundle, [], environment);
  expect(stderr).toBe(
    `poller cannot start: its configuration is wrong.\n  The port ${server.port} of 127.0.0.1 is in use; stop the other process, or set PORT to another port.\n`,
  );
  expect(status).toBe(78);
  expect(await redis.keys('*lease*')).toEqual([]);
  expect(stdout).toMatch(/senders has no entry for first\.channels.*"msg":"configuration warning"/);
  expect(stdout).not.toContain('    at ');
});

it('thresholds that make no sense are refused', async () => {
  const margin = { warning: '2.00', breach: '3.00', hysteresis: '0.50' };
  const error = await start({}, { defaults: { margin } }).catch((cause: unknown) => cause);
  expect(describeStartFailure(error)).toMatchObject({
    exitStatus: 78,
    problems: [
      expect.stringMatching(
        /\.yaml:1: .*margin\.breach is 3\.00, above warning 2\.00; it must lie below warning\.$/,
      ),
    ],
  });
});

it('a Redis that may lose data ends the poller in production with exit status 78', async () => {
  // The queue of the test reads the policy first, and would log a warning.
  await queue.depth();
  await redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
  const { status, stderr } = await runToEnd(bundle, [], variables({ NODE_ENV: 'production' }));
  expect(stderr).toMatch(/^ {2}This Redis could lose data .*; set it to noeviction\.$/m);
  expect(status).toBe(78);
});
