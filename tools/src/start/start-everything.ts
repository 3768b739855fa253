import { writeFileAtomically } from '@ssb/platform';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ResourceStack } from '../lifecycle/resource-stack.js';
import { Restarts } from '../lifecycle/restarts.js';
import { renderAddresses } from '../report/addresses.js';
import { ArchiveReader } from '../report/archive-reader.js';
import { EVENT_LINES_HEADER, type LinePrinter } from '../report/event-lines.js';
import { EventPrinter } from '../report/event-printer.js';
import { createFaultPrinter } from '../report/fault-lines.js';
import { describeOpenFolders } from '../report/open-folders.js';
import { Progress } from '../report/progress.js';
import { checkRedis, type RedisServerSettings } from '../servers/redis.js';
import { checkPorts, type Ports, type ProcessName } from '../system/processes.js';
import { checkSimulation, describePlay, hasBacklog } from '../system/scenario.js';
import { System, type SystemOptions } from '../system/system.js';
import { WebhookReceiver } from '../webhook/webhook-receiver.js';
import { ensureWebhookSecrets } from '../webhook/webhook-secrets.js';
import { ConsoleLink } from './console-link.js';
import { ReadinessWatcher } from './readiness-watcher.js';
import { lockData, publishSystem, removeStaleEntries, systemEntry } from './running-system.js';
import type { StartSettings } from './settings.js';
import { startServers } from './start-servers.js';

export interface StartOptions {
  readonly settings: StartSettings;
  /** No simulator when undefined. */
  readonly scenario: string | undefined;
  /** Additional settings of the simulator. */
  readonly simulatorSettings: Readonly<Record<string, string>>;
  /** Folder of all data. */
  readonly data: string;
  readonly ports: Ports;
  readonly print: (text: string) => void;
  readonly printer: LinePrinter;
  /** Called when Redis or PostgreSQL cannot be kept running. */
  readonly onGiveUp: (message: string) => void;
}

/** Starts Redis, PostgreSQL, the webhook receiver and the system. `resources` receives each as soon as it runs. */
export async function startEverything(options: StartOptions, resources: ResourceStack): Promise<System> {
  const { settings, scenario, simulatorSettings, data, ports, print, printer, onGiveUp } = options;
  const startedAt = new Date();
  if (scenario !== undefined) await checkSimulation(scenario, simulatorSettings);
  const progress = new Progress(print);
  await resources.defer(await lockData(data));
  await checkPorts(ports);
  const consoleLink = await ConsoleLink.create(data, ports);
  print(`${consoleLink.firstLine}\n\nStarting market, bridge and bus:\n`);
  print(describeOpenFolders(data));
  const { redis, postgres } = await startServers(
    {
      folder: data,
      searchPath: settings.PATH,
      progress,
      onGiveUp,
      redis: readRedisSettings(settings),
      databaseUrl: settings.DATABASE_URL,
    },
    resources,
  );
  await writeDataFile(join(data, 'redis.url'), redis.url, resources);
  for (const warning of await checkRedis(redis.settings, { production: settings.NODE_ENV === 'production' }))
    print(`\n  WARNING: ${warning}\n\n`);
  const { webhook, operationsWebhook } = await prepareWebhooks(settings, data, resources);
  const isLive = scenario !== undefined && (await hasBacklog(scenario, simulatorSettings));
  const play = scenario === undefined ? undefined : await describePlay(scenario, data, simulatorSettings);
  const archive = new ArchiveReader(`http://127.0.0.1:${ports.api}`);
  await resources.defer(() => archive.stop());
  const events = new EventPrinter({ printer, archive, listedSince: isLive ? startedAt : undefined });
  const printFault = createFaultPrinter(printer);
  const restarts = new AppRestarts((text) => progress.print(text));
  const system = await System.start({
    folder: data,
    ports,
    redis: redis.settings,
    databaseAdminUrl: postgres.adminUrl,
    webhook,
    operationsWebhook,
    progress,
    scenario,
    retentionDays: settings.ARCHIVE_RETENTION_DAYS,
    overrides: { simulator: simulatorSettings },
    onLog: (app, line) => {
      events.record(line);
      printFault(app, line);
    },
    beforeStart: async (system) => {
      archive.useToken(system.plan.secrets.apiAccess.tokenFile);
      await resources.defer(() => system.stop());
      await resources.defer(() => restarts.stop());
      const url = system.plan.databaseUrls.subscriber;
      await writeDataFile(join(data, 'subscriber-database.url'), url, resources);
    },
    onUnexpectedExit: (system, name, reason) => restarts.ended(system, name, reason),
  });
  await publishSystem(system);
  await removeStaleEntries();
  await writeDataFile(systemEntry(process.pid), data, resources);
  print(
    `\n${renderAddresses(ports, { redisUrl: redis.settings.REDIS_URL, databaseUrl: postgres.adminUrl, webhookUrl: webhook.url }, scenario !== undefined)}\n\nLogs are in ${join(data, 'logs')}. Ctrl-C stops everything.\n\n${await consoleLink.renew()}\n\n`,
  );
  print(`${play === undefined ? '' : `${play}\n`}${EVENT_LINES_HEADER}\n\n`);
  events.start();
  const watcher = new ReadinessWatcher(ports, printer);
  await resources.defer(() => watcher.stop());
  watcher.start();
  return system;
}

/** Undefined without REDIS_URL. */
function readRedisSettings({ REDIS_URL, ...settings }: StartSettings): RedisServerSettings | undefined {
  if (REDIS_URL === undefined) return undefined;
  const { REDIS_USERNAME, REDIS_PASSWORD_FILE, REDIS_CA_FILE, REDIS_CERT_FILE, REDIS_KEY_FILE } = settings;
  return {
    REDIS_URL,
    REDIS_USERNAME,
    REDIS_PASSWORD_FILE,
    REDIS_CA_FILE,
    REDIS_CERT_FILE,
    REDIS_KEY_FILE,
  };
}

/** Other commands read this file. It is removed when npm start ends. */
async function writeDataFile(file: string, text: string, resources: ResourceStack): Promise<void> {
  await writeFileAtomically(file, text);
  await resources.defer(() => rmSync(file, { force: true }));
}

/** The webhooks of the environment. A receiver in this process takes the place of those that are not set. */
async function prepareWebhooks(
  settings: StartSettings,
  data: string,
  resources: ResourceStack,
): Promise<Pick<SystemOptions, 'webhook' | 'operationsWebhook'>> {
  const { WEBHOOK_URL, WEBHOOK_SECRET, OPERATIONS_WEBHOOK_URL, OPERATIONS_WEBHOOK_SECRET } = settings;
  const generated = ensureWebhookSecrets(data);
  const alerts = WEBHOOK_SECRET ?? generated.alerts;
  const operations = OPERATIONS_WEBHOOK_SECRET ?? generated.operations;
  const receiver = new WebhookReceiver(alerts, operations);
  const url = await receiver.start();
  await resources.defer(() => receiver.stop());
  return {
    webhook: { url: WEBHOOK_URL ?? url, secret: alerts },
    operationsWebhook: { url: OPERATIONS_WEBHOOK_URL ?? url, secret: operations },
  };
}

/** Starts apps again that ended by themselves, until the system stops. */
class AppRestarts {
  private readonly byName = new Map<ProcessName, Restarts>();

  constructor(private readonly print: (text: string) => void) {}

  ended(system: System, name: ProcessName, reason: string): void {
    const restarts =
      this.byName.get(name) ??
      new Restarts({ name, start: () => system.process(name).start(), print: this.print });
    this.byName.set(name, restarts);
    restarts.ended(`${reason}; its log shows the cause`);
  }

  stop(): void {
    for (const restarts of this.byName.values()) restarts.stop();
  }
}
