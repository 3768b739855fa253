import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePorts } from '@ssb/free-ports';
import { stringify } from 'yaml';
import type { ResourceStack } from '../lifecycle/resource-stack.js';
import { type Ports, PROCESSES } from '../system/processes.js';

/** Between two scrapes, seconds. Pictures show minutes, so it is short. */
export const SCRAPE_INTERVAL_SECONDS = 2;
const START_TIMEOUT_MS = 30_000;

/** Starts a Prometheus that scrapes every app of a system. @returns its URL */
export async function startPrometheus(
  program: string,
  options: { readonly folder: string; readonly ports: Ports },
  resources: ResourceStack,
): Promise<string> {
  const { folder, ports } = options;
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'prometheus.yml');
  writeFileSync(file, stringify(buildConfiguration(ports)));
  const [port] = await freePorts(1);
  const address = `127.0.0.1:${port}`;
  const log = openSync(join(folder, 'prometheus.log'), 'a');
  const server = spawn(
    program,
    [
      `--config.file=${file}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=${address}`,
      '--log.level=warn',
    ],
    { stdio: ['ignore', log, log] },
  );
  const ended = once(server, 'exit');
  await resources.defer(async () => {
    server.kill('SIGTERM');
    await ended;
  });
  await waitUntilReady(`http://${address}`);
  return `http://${address}`;
}

function buildConfiguration(ports: Ports): object {
  const managementPort = (name: (typeof PROCESSES)[number]): number =>
    ports[`${name}-management` as keyof Ports] ?? ports[name];
  return {
    global: { scrape_interval: `${SCRAPE_INTERVAL_SECONDS}s`, scrape_timeout: `${SCRAPE_INTERVAL_SECONDS}s` },
    scrape_configs: PROCESSES.map((name) => ({
      job_name: name,
      static_configs: [{ targets: [`127.0.0.1:${managementPort(name)}`], labels: { instance: name } }],
    })),
  };
}

async function waitUntilReady(url: string): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < deadline) {
    const response = await fetch(`${url}/-/ready`).catch(() => undefined);
    await response?.body?.cancel();
    if (response?.ok === true) return;
    await delay(200);
  }
  throw new Error('Prometheus was not ready within 30 s; its log is in the data folder.');
}
