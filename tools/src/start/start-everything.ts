import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { obtainPostgres, type ObtainedPostgres } from '../servers/postgres.js';
import { obtainRedis, type ObtainedRedis } from '../servers/redis.js';
import { reachRedis } from '../redis/reach-redis.js';
import { eventLines, type Paint } from '../report/event-lines.js';
import { Progress } from '../report/progress.js';
import type { ResourceStack } from '../lifecycle/resource-stack.js';
import { claimFolder, FolderInUseError } from '../lifecycle/folder-lock.js';
import { SecretsFolder, webhookSecret } from '../provision/secrets-folder.js';
import { WebhookSink } from '../webhook/webhook-receiver.js';
import { checkPorts } from '../system/ports.js';
import type { Webhook } from '../system/environments.js';
import type { Ports, ProcessName } from '../system/processes.js';
import { checkSimulation } from '../system/scenario.js';
import { System } from '../system/system.js';
import { addresses } from '../report/addresses.js';
import type { StartSettings } from './settings.js';

export interface StartOptions {
  readonly settings: StartSettings;
  /** No simulator when undefined. */
  readonly scenario: string | undefined;
  /** Further settings of the simulator. */
  readonly simulation: Readonly<Record<string, string>>;
  /** Folder of everything that is kept. */
  readonly data: string;
  readonly ports: Ports;
  readonly say: (text: string) => void;
  readonly paint: Paint;
}

/**
 * Starts Redis, PostgreSQL, the webhook receiver and the system. Each is noted in `resources` as soon as it runs, so that a stop at any
 * moment ends all of them.
 */
export async function startEverything(options: StartOptions, resources: ResourceStack): Promise<void> {
  const { settings, scenario, simulation, data, ports, say, paint } = options;
  if (scenario !== undefined) await checkSimulation(scenario, simulation);
  const progress = new Progress(say);
  say('Starting market, bridge and bus:\n');
  await claimData(data, resources);
  await checkPorts(ports);
  reportFormerData(data, say);
  const { url: redisUrl } = await progress.step(
    'Redis',
    () => startRedis(options, progress, resources),
    ({ how }) => how,
  );
  for (const warning of await reachRedis(redisUrl, { production: settings.NODE_ENV === 'production' }))
    say(`\n  WARNING: ${warning}\n\n`);
  const databaseAdminUrl = await progress.step(
    'PostgreSQL',
    () => startPostgres(options, progress, resources),
    ({ how }) => how,
  );
  const webhook = await receiver(settings, data, resources);
  await System.start({
    folder: data,
    ports,
    redisUrl,
    databaseAdminUrl: databaseAdminUrl.adminUrl,
    webhook,
    progress,
    scenario,
    overrides: { simulator: simulation },
    onLog: eventLines((line) => say(`${line}\n`), paint),
    onSystem: async (system) => {
      await resources.defer(() => system.stop());
      await keepNote(join(data, 'subscriber-database.url'), system.plan.databaseUrls.subscriber, resources);
    },
    onUnexpectedEnd: (system, name, how) => void restart(system, name, how, progress),
  });
  say(
    `\n${addresses(ports, { redisUrl, databaseUrl: databaseAdminUrl.adminUrl, webhookUrl: webhook.url }, scenario !== undefined)}\n\nLogs are in ${join(data, 'logs')}. Ctrl-C stops everything.\n\n`,
  );
}

/** Another run on the same data would share, and at its end stop, this one's Redis. */
async function claimData(data: string, resources: ResourceStack): Promise<void> {
  mkdirSync(data, { recursive: true, mode: 0o700 });
  try {
    await resources.defer(await claimFolder(join(data, 'start')));
  } catch (error) {
    throw error instanceof FolderInUseError ? new FolderInUseError(data) : error;
  }
}

async function startRedis(
  { settings, data }: StartOptions,
  progress: Progress,
  resources: ResourceStack,
): Promise<ObtainedRedis> {
  const redis = await obtainRedis({
    url: settings.REDIS_URL,
    folder: join(data, 'redis'),
    searchPath: settings.PATH,
    onProgress: (what) => progress.note(what),
  });
  await resources.defer(() => redis.own?.stop());
  await keepNote(join(data, 'redis.url'), redis.url, resources);
  return redis;
}

async function startPostgres(
  { settings, data }: StartOptions,
  progress: Progress,
  resources: ResourceStack,
): Promise<ObtainedPostgres> {
  const postgres = await obtainPostgres({
    url: settings.DATABASE_URL,
    folder: join(data, 'postgres'),
    searchPath: settings.PATH,
    onProgress: (what) => progress.note(what),
  });
  await resources.defer(() => postgres.own?.stop());
  return postgres;
}

/** Other commands find an address by this file, as long as npm start runs. */
async function keepNote(file: string, url: string, resources: ResourceStack): Promise<void> {
  writeFileSync(file, url, { mode: 0o600 });
  await resources.defer(() => rmSync(file, { force: true }));
}

/** Where earlier releases kept their embedded databases, in the data folder. */
const FORMER_DATABASES = ['subscriber', 'reporting', 'token/database'];

function reportFormerData(data: string, say: (text: string) => void): void {
  const found = FORMER_DATABASES.filter((folder) => existsSync(join(data, folder, 'PG_VERSION')));
  if (found.length === 0) return;
  say(
    `\n  NOTE: data of an earlier release is in ${found.map((folder) => join(data, folder)).join(', ')}.\n` +
      '  It is not carried over: archive, accounts and records begin empty. Delete these folders when you no longer need them.\n\n',
  );
}

/** Where alerts go: the operator's own address, or a receiver of ours so that deliveries can be seen at once. */
async function receiver(settings: StartSettings, data: string, resources: ResourceStack): Promise<Webhook> {
  const secret =
    settings.WEBHOOK_SECRET ??
    new SecretsFolder(join(data, 'secrets')).value('webhook.secret', webhookSecret);
  if (settings.WEBHOOK_URL !== undefined) return { url: settings.WEBHOOK_URL, secret };
  const sink = new WebhookSink(secret);
  const url = await sink.start();
  await resources.defer(() => sink.stop());
  return { url, secret };
}

const RESTART_DELAY_MS = 1_000;

/** Starts an app again that ended by itself, as a cluster does, until the system stops. */
async function restart(system: System, name: ProcessName, how: string, progress: Progress): Promise<void> {
  progress.note(`${name} ended unexpectedly (${how}); starting it again. Its log tells why.`);
  while (!system.stopped) {
    await delay(RESTART_DELAY_MS);
    try {
      if (!system.stopped) await system.process(name).start();
      return;
    } catch (error) {
      if (!system.stopped) progress.note(error instanceof Error ? error.message : String(error));
    }
  }
}
