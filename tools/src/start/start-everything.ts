import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { claimFolder, FolderInUseError } from '@ssb/database';
import { obtainRedis, type ObtainedRedis } from '../redis/obtain-redis.js';
import { reachRedis } from '../redis/reach-redis.js';
import type { Paint } from '../report/events.js';
import { Progress } from '../report/progress.js';
import type { Belongings } from '../run/belongings.js';
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
 * What is played → folder → ports → Redis → webhook's receiver → the system. What has come up is noted in `belongings` at once, so that
 * it can be given back at any moment, also in the middle of starting.
 */
export async function startEverything(options: StartOptions, belongings: Belongings): Promise<void> {
  const { settings, scenario, play, data, ports, say, paint } = options;
  if (scenario !== undefined) await checkPlay(scenario, play);
  const progress = new Progress(say);
  say('Starting market, bridge and bus:\n');
  await claimData(data, belongings);
  await checkPorts(ports);
  const { url: redisUrl } = await progress.step(
    'Redis',
    () => startRedis(options, progress, belongings),
    ({ how }) => how,
  );
  for (const warning of await reachRedis(redisUrl, { production: settings.NODE_ENV === 'production' }))
    say(`\n  WARNING: ${warning}\n\n`);
  const webhook = await receiver(settings, data, belongings);
  await System.start({
    folder: data,
    ports,
    redisUrl,
    webhook,
    progress,
    scenario,
    overrides: { simulator: play },
    onLog: eventLines((line) => say(`${line}\n`), paint),
    onSystem: (system) => belongings.keep(() => system.stop()),
    onUnexpectedEnd: (system, name, how) => supervise(system, name, how, progress),
  });
  say(
    `\n${addresses(ports, redisUrl, webhook.url, scenario !== undefined)}\n\nLogs are in ${join(data, 'logs')}. Ctrl-C stops everything.\n\n`,
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
  await noteRedis(redis.url, data, belongings);
  return redis;
}

/** Other commands of ours find the Redis by this note, which lives as long as we do. */
async function noteRedis(url: string, data: string, belongings: Belongings): Promise<void> {
  const note = join(data, 'redis.url');
  writeFileSync(note, url, { mode: 0o600 });
  await belongings.keep(() => rmSync(note, { force: true }));
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
