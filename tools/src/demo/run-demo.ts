import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { obtainPostgres } from '../servers/postgres.js';
import { obtainRedis } from '../servers/redis.js';
import { eventLine, type Paint } from '../report/event-lines.js';
import { Progress } from '../report/progress.js';
import type { ResourceStack } from '../lifecycle/resource-stack.js';
import { SecretsFolder, webhookSecret } from '../provision/secrets-folder.js';
import { WebhookSink } from '../webhook/webhook-receiver.js';
import { freeSystemPorts } from '../system/ports.js';
import { scenarioFile, scenarioSetting } from '../system/scenario.js';
import { System } from '../system/system.js';
import { Arrivals } from './delivery-tracker.js';
import { readExpectations } from './expected-events.js';
import type { DemoResult } from './demo-result.js';

const PARTICIPANT = 'WPGENCO';
const POLL_INTERVAL_MS = 250;

export interface DemoOptions {
  /** Name of one of the simulator's scenarios, or a path. */
  readonly scenario: string;
  /** How long to wait for the last event once everything runs. */
  readonly timeoutSeconds: number;
  /** Folders of programs, where servers are looked for. */
  readonly searchPath: string;
  readonly say: (text: string) => void;
  readonly paint: Paint;
}

/** Temporary folder → private Redis and PostgreSQL → webhook receiver → system; then waits until every expected event has arrived. */
export async function runDemo(options: DemoOptions, resources: ResourceStack): Promise<DemoResult> {
  const { scenario, timeoutSeconds, searchPath, say, paint } = options;
  const began = Date.now();
  const expected = readExpectations(scenarioFile(scenario));
  const progress = new Progress(say);
  say('Starting market, bridge and bus:\n');
  const folder = mkdtempSync(join(tmpdir(), 'settlement-bus-bridge-demo-'));
  await resources.defer(() => rmSync(folder, { recursive: true, force: true }));
  const redis = await progress.step(
    'Redis',
    // The demo never touches a Redis that somebody uses: always a private one.
    () =>
      obtainRedis({
        folder: join(folder, 'redis'),
        searchPath,
        onProgress: (what) => progress.note(what),
      }),
    ({ how }) => how,
  );
  await resources.defer(() => redis.own?.stop());
  const postgres = await progress.step(
    'PostgreSQL',
    () =>
      obtainPostgres({
        folder: join(folder, 'postgres'),
        searchPath,
        durable: false,
        onProgress: (what) => progress.note(what),
      }),
    ({ how }) => how,
  );
  await resources.defer(() => postgres.own?.stop());
  const secret = new SecretsFolder(join(folder, 'secrets')).value('webhook.secret', webhookSecret);
  const sink = new WebhookSink(secret);
  const url = await sink.start();
  await resources.defer(() => sink.stop());
  const arrivals = new Arrivals(expected, sink);
  await System.start({
    folder,
    ports: await freeSystemPorts(),
    redisUrl: redis.url,
    databaseAdminUrl: postgres.adminUrl,
    webhook: { url, secret },
    progress,
    scenario: scenarioSetting(scenario),
    participant: PARTICIPANT,
    pollIntervalMs: POLL_INTERVAL_MS,
    onLog: (app, line) => {
      const trace = arrivals.note(app, line);
      if (trace !== undefined && line.step === 'archived')
        say(`${eventLine(trace, trace.alert ?? false, paint)}\n`);
    },
    onSystem: (system) => resources.defer(() => system.stop()),
    onUnexpectedEnd: (_, name, how) => say(`  ${name} ended unexpectedly (${how})\n`),
  });
  say(`\nThe market publishes; ${expected.length} events must arrive:\n`);
  await resources.defer(() => arrivals.giveUp());
  await arrivals.settled(timeoutSeconds * 1000);
  return arrivals.result((Date.now() - began) / 1000);
}
