import { mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@ssb/free-ports';
import { waitFor } from '@ssb/testing';
import { stringify } from 'yaml';
import { startServer } from '../lifecycle/launched-process.js';
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
  const address = `127.0.0.1:${await freePort()}`;
  const log = openSync(join(folder, 'prometheus.log'), 'a');
  await startServer(
    program,
    [
      `--config.file=${file}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=${address}`,
      '--log.level=warn',
    ],
    ['ignore', log, log],
    resources,
  );
  const url = `http://${address}`;
  await waitFor(
    'Prometheus to be ready; its log is in the data folder',
    async () => (await fetch(`${url}/-/ready`).catch(() => undefined))?.ok,
    START_TIMEOUT_MS,
  );
  return url;
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
