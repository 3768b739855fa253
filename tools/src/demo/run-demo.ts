import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ResourceStack } from '../lifecycle/resource-stack.js';
import { ArchiveReader } from '../report/archive-reader.js';
import { EVENT_LINES_HEADER, type LinePrinter } from '../report/event-lines.js';
import { EventPrinter } from '../report/event-printer.js';
import { Progress } from '../report/progress.js';
import { startServers } from '../start/start-servers.js';
import type { LaunchApp } from '../system/app-process.js';
import { reserveSystemPorts } from '../system/processes.js';
import { checkSimulation, findScenarioFile, toScenarioSetting } from '../system/scenario.js';
import { System, type SystemOptions } from '../system/system.js';
import { WebhookReceiver } from '../webhook/webhook-receiver.js';
import { ensureWebhookSecrets } from '../webhook/webhook-secrets.js';
import { DeliveryTracker } from './delivery-tracker.js';
import type { DemoResult } from './demo-result.js';
import { readExpectedEvents } from './expected-events.js';
import { readProblemHistory } from './problem-history.js';

const PARTICIPANT = 'WPGENCO';
const POLL_INTERVAL_MS = 250;

export interface DemoOptions {
  /** Name of a scenario of the simulator, or a path. */
  readonly scenario: string;
  /** Counted from the end of the start. */
  readonly timeoutSeconds: number;
  /** Like PATH: where server programs are searched. */
  readonly searchPath: string;
  readonly print: (text: string) => void;
  readonly printer: LinePrinter;
  readonly overrides?: SystemOptions['overrides'];
  /** How each app is started. Default: from its bundle. */
  readonly launch?: LaunchApp;
}

/** Starts a whole system in a temporary folder and waits until every expected event has arrived. */
export async function runDemo(options: DemoOptions, resources: ResourceStack): Promise<DemoResult> {
  const { scenario, timeoutSeconds, searchPath, print, printer, launch, overrides } = options;
  const started = Date.now();
  const expected = readExpectedEvents(findScenarioFile(scenario));
  await checkSimulation(scenario, {});
  const progress = new Progress(print);
  print('Starting market, bridge and bus:\n');
  const folder = mkdtempSync(join(tmpdir(), 'settlement-bus-bridge-demo-'));
  await resources.defer(() => rmSync(folder, { recursive: true, force: true }));
  // The demo always uses private servers, never those of the environment.
  const { redis, postgres } = await startServers(
    { folder, searchPath, progress, onGiveUp: (text) => progress.print(text), durable: false },
    resources,
  );
  const secrets = ensureWebhookSecrets(folder);
  const receiver = new WebhookReceiver(secrets.alerts, secrets.operations);
  const url = await receiver.start();
  await resources.defer(() => receiver.stop());
  const tracker = new DeliveryTracker(expected, receiver);
  const ports = await reserveSystemPorts();
  const archive = new ArchiveReader(`http://127.0.0.1:${ports.api}`);
  await resources.defer(() => archive.stop());
  const events = new EventPrinter({ printer, archive });
  const system = await System.start({
    folder,
    ports,
    redis: redis.settings,
    databaseAdminUrl: postgres.adminUrl,
    webhook: { url, secret: secrets.alerts },
    operationsWebhook: { url, secret: secrets.operations },
    progress,
    scenario: toScenarioSetting(scenario),
    participant: PARTICIPANT,
    pollIntervalMs: POLL_INTERVAL_MS,
    overrides,
    launch,
    onLog: (app, line) => {
      tracker.record(app, line);
      events.record(line);
    },
    beforeStart: (system) => {
      archive.useToken(system.plan.secrets.apiAccess.tokenFile);
      return resources.defer(() => system.stop());
    },
    onUnexpectedExit: (_, name, reason) => print(`  ${name} ended unexpectedly (${reason})\n`),
  });
  print(`\nThe market publishes; ${expected.length} events must arrive.\n${EVENT_LINES_HEADER}\n\n`);
  events.start();
  await resources.defer(() => tracker.stopWaiting());
  await tracker.waitUntilComplete(timeoutSeconds * 1000);
  const seconds = (Date.now() - started) / 1000;
  await events.settled();
  const problems = await readProblemHistory(system.plan.databaseUrls.api);
  return { ...tracker.buildResult(seconds), problems };
}
