import { RunningSystem } from '../harness/running-system.js';

const RELOAD = { KEYS_RELOAD_INTERVAL_MS: '500', CONFIG_RELOAD_INTERVAL_MS: '500' };
const GATEWAY_RELOAD = { FILES_RELOAD_INTERVAL_MS: '500' };

/** The system of all suites in this folder. It reads changed keys and its configuration again at once. */
export let running: RunningSystem;

beforeAll(async () => {
  running = await RunningSystem.start({
    poller: RELOAD,
    'bus-publisher': RELOAD,
    subscriber: RELOAD,
    'gateway-publisher': GATEWAY_RELOAD,
    'gateway-subscriber': GATEWAY_RELOAD,
  });
});

afterAll(() => running.stop());
