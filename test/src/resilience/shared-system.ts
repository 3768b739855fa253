import { REPOSITORY_ROOT } from '@ssb/tools';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RunningSystem } from '../harness/running-system.js';

const RELOAD = { KEYS_RELOAD_INTERVAL_MS: '500', CONFIG_RELOAD_INTERVAL_MS: '500' };
const GATEWAY_RELOAD = { FILES_RELOAD_INTERVAL_MS: '500' };

/** The system of all suites in this folder. It reads changed keys and its configuration again at once. */
export let running: RunningSystem;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'resilience-spec-'));
  const operatorConfig = join(folder, 'bridge.yaml');
  copyFileSync(join(REPOSITORY_ROOT, 'config/bridge.yaml'), operatorConfig);
  const overrides = {
    poller: RELOAD,
    'bus-publisher': RELOAD,
    subscriber: RELOAD,
    'gateway-publisher': GATEWAY_RELOAD,
    'gateway-subscriber': GATEWAY_RELOAD,
  };
  running = await RunningSystem.start(overrides, { operatorConfig });
});

afterAll(async () => {
  await running.stop();
  rmSync(folder, { recursive: true });
});
