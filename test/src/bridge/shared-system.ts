import { type OtlpCollector, startOtlpCollector } from '@ssb/testing';
import { RunningSystem } from '../harness/running-system.js';
import { traceSettings } from './event-steps.js';

/** The system of all suites in this folder. */
export let running: RunningSystem;
export let collector: OtlpCollector;

beforeAll(async () => {
  collector = await startOtlpCollector();
  const traced = traceSettings(collector.endpoint);
  running = await RunningSystem.start({
    ...traced,
    poller: {
      ...traced?.poller,
      BACKFILL_REQUEST_INTERVAL_MS: '10',
      CONFIG_RELOAD_INTERVAL_MS: '500',
      HEARTBEAT_INTERVAL_MS: '1000',
    },
    subscriber: { ...traced?.subscriber, CONFIG_RELOAD_INTERVAL_MS: '500' },
  });
});

afterEach(() => running.market.endRuns());

afterAll(async () => {
  await running.stop();
  await collector.stop();
});
