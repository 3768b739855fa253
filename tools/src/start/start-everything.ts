import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { obtainPostgres, type ObtainedPostgres } from '../postgres/obtain-postgres.js';
import { obtainRedis, type ObtainedRedis } from '../redis/obtain-redis.js';
import { reachRedis } from '../redis/reach-redis.js';
import type { Paint } from '../report/events.js';
import { Progress } from '../report/progress.js';
import type { Belongings } from '../run/belongings.js';
import { claimFolder, FolderInUseError } from '../run/claim-folder.js';
import { SecretsFolder, webhookSecret } from '../secrets/secrets-folder.js';
import { WebhookSink } from '../sink/webhook-sink.js';
import { checkPorts } from '../system/check-ports.js';
import type { Webhook } from '../system/environments.js';
import type { Ports } from '../system/layout.js';
import { supervise } from '../system/supervise.js';
import { System } from '../system/system.js';
import { addresses } from './addresses.js';
import { checkPlay } from './check-play.js';
import { eventLines } from './event-lines.js';
import type { StartSettings } from './settings.js';

export interface StartOptions {
  readonly settings: StartSettings;
  /** What the simulator plays; no simulator when undefined. */
  readonly scenario: string | undefined;
  /** Further settings of the simulator. */
  readonly play: Readonly<Record<string, string>>;
  /** Folder of everything that is kept. */
  readonly data: string;
  readonly ports: Ports;
  readonly say: (text: string) => void;
  readonly paint: Paint;
}

/**
 * Starts Redis, PostgreSQL, the webhook receiver and the system. Each is noted in `belongings` as soon as it runs, so that a stop at any
 * moment ends all of them.
 */
export async function startEverything(options: StartOptions, belongings: Belongings): Promise<void> {
  const { settings, scenario, play, data, ports, say, paint } = options;
  if (scenario !== undefined) await checkPlay(scenario, play);
  const progress = new Progress(say);
  say('Starting market, bridge and bus:\n');
  await claimData(data, belongings);
  await checkPorts(ports);
  reportFormerData(data, say);
  const { url: redisUrl } = await progress.step(
    'Redis',
    () => startRedis(options, progress, belongings),
    ({ how }) => how,
  );
  for (const warning of await reachRedis(redisUrl, { production: settings.NODE_ENV === 'production' }))
    say(`\n  WARNING: ${warning}\n\n`);
  const databaseAdminUrl = await progress.step(
    'PostgreSQL',
    () => startPostgres(options, progress, belongings),
    ({ how }) => how,
  );
  const webhook = await receiver(settings, data, belongings);
  await System.start({
    folder: data,
    ports,
    redisUrl,
    databaseAdminUrl: databaseAdminUrl.adminUrl,
    webhook,
    progress,
    scenario,
    overrides: { simulator: play },
    onLog: eventLines((line) => say(`${line}\n`), paint),
    onSystem: async (system) => {
      await belongings.keep(() => system.stop());
      await keepNote(join(data, 'subscriber-database.url'), system.plan.databaseUrls.subscriber, belongings);
    },
    onUnexpectedEnd: (system, name, how) => supervise(system, name, how, progress),
  });
  say(
    `\n${addresses(ports, { redisUrl, databaseUrl: databaseAdminUrl.adminUrl, webhookUrl: webhook.url }, scenario !== undefined)}\n\nLogs are in ${join(data, 'logs')}. Ctrl-C stops everything.\n\n`,
  );
}

/** Another run on the same data would share, and at its end stop, this one's Redis. */
async function claimData(data: string, belongings: Belongings): Promise<void> {
  mkdirSync(data, { recursive: true, mode: 0o700 });
  try {
    await belongings.keep(await claimFolder(join(data, 'start')));
  } catch (error) {
    throw error instanceof FolderInUseError ? new FolderInUseError(data) : error;
  }
}

async function startRedis(
  { settings, data }: StartOptions,
  progress: Progress,
  belongings: Belongings,
): Promise<ObtainedRedis> {
  const redis = await obtainRedis({
    url: settings.REDIS_URL,
    folder: join(data, 'redis'),
    searchPath: settings.PATH,
    onProgress: (what) => progress.note(what),
  });
  await belongings.keep(() => redis.own?.stop());
  await keepNote(join(data, 'redis.url'), redis.url, belongings);
  return redis;
}

async function startPostgres(
  { settings, data }: StartOptions,
  progress: Progress,
  belongings: Belongings,
): Promise<ObtainedPostgres> {
  const postgres = await obtainPostgres({
    url: settings.DATABASE_URL,
    folder: join(data, 'postgres'),
    searchPath: settings.PATH,
    onProgress: (what) => progress.note(what),
  });
  await belongings.keep(() => postgres.own?.stop());
  return postgres;
}

/** Other commands find an address by this file, as long as npm start runs. */
async function keepNote(file: string, url: string, belongings: Belongings): Promise<void> {
  writeFileSync(file, url, { mode: 0o600 });
  await belongings.keep(() => rmSync(file, { force: true }));
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
async function receiver(settings: StartSettings, data: string, belongings: Belongings): Promise<Webhook> {
  const secret =
    settings.WEBHOOK_SECRET ??
    new SecretsFolder(join(data, 'secrets')).value('webhook.secret', webhookSecret);
  if (settings.WEBHOOK_URL !== undefined) return { url: settings.WEBHOOK_URL, secret };
  const sink = new WebhookSink(secret);
  const url = await sink.start();
  await belongings.keep(() => sink.stop());
  return { url, secret };
}
