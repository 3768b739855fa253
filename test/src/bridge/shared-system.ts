import { type OtlpCollector, startOtlpCollector } from '@ssb/testing';
import { traceSettings } from '@ssb/tools';
import { RunningSystem } from '../harness/running-system.js';

/** The system of all suites in this folder. */
export let running: RunningSystem;
export let collector: OtlpCollector;

beforeAll(async () => {
  collector = await startOtlpCollector();
  const traced = traceSettings(collector.endpoint);
  running = await RunningSystem.start({
    ...traced,
    poller: { ...traced?.poller, BACKFILL_REQUEST_INTERVAL_MS: '10', HEARTBEAT_INTERVAL_MS: '1000' },
  });
}, 240_000);

afterEach(() => running.market.endRuns());

afterAll(async () => {
  await running.stop();
  await collector.stop();
});
