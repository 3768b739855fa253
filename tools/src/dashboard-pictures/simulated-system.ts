import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readSettings, standardOutput } from '@ssb/platform';
import type { ResourceStack } from '../lifecycle/resource-stack.js';
import { definition } from '../start/settings.js';
import { startEverything } from '../start/start-everything.js';
import { REPOSITORY_ROOT, reserveSystemPorts } from '../system/processes.js';
import { startPrometheus } from './prometheus-server.js';

const SCENARIO = join(REPOSITORY_ROOT, 'tools/src/dashboard-pictures/scenario.yaml');
const OUTAGE_MS = 25_000;

export interface SimulationOptions {
  readonly prometheus: string;
  readonly searchPath: string;
  readonly minutes: number;
  readonly print: (text: string) => void;
}

/**
 * Runs a market, bridge and bus, scraped by Prometheus. In the middle the publisher's gateway is away for a moment.
 * @returns the URL of Prometheus once it has the samples
 */
export async function simulateMarket(options: SimulationOptions, resources: ResourceStack): Promise<string> {
  const { prometheus, searchPath, minutes, print } = options;
  const data = mkdtempSync(join(tmpdir(), 'settlement-bus-bridge-pictures-'));
  await resources.defer(() => rmSync(data, { recursive: true, force: true }));
  const ports = await reserveSystemPorts();
  const url = await startPrometheus(prometheus, { folder: join(data, 'prometheus'), ports }, resources);
  const system = await startEverything(
    {
      settings: readSettings(definition, { NODE_ENV: 'development', PATH: searchPath }),
      scenario: SCENARIO,
      simulatorSettings: {},
      data,
      ports,
      print,
      printer: standardOutput,
      onGiveUp: print,
    },
    resources,
  );
  print(`Prometheus: ${url}; collecting for ${minutes} minutes …\n`);
  await delay((minutes * 60_000) / 2);
  await system.process('gateway-publisher').stop();
  await delay(OUTAGE_MS);
  await system.process('gateway-publisher').start();
  await delay((minutes * 60_000) / 2 - OUTAGE_MS);
  return url;
}
