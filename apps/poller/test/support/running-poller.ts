import type { DetectedEvent } from '@ssb/events';
import { ContentAuthenticator, FixedKeys, type KeySource, parseKeyRing } from '@ssb/keys';
import { buildApp, type BuiltApp, createLogger, generateSecret, readSettings } from '@ssb/platform';
import {
  type EventQueue,
  EventWorker,
  openDeadLetters,
  openEventQueue,
  AuthenticatedHash,
  connectRedis,
  type RedisConnection,
} from '@ssb/redis-queue';
import { startTestRedis, type TestRedis, waitFor } from '@ssb/testing';
import type { Redis } from 'ioredis';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PollerModule } from '../../src/poller.module.js';
import { definition, type Settings } from '../../src/settings.js';
import { FakeMarket } from './fake-market.js';

export type Line = Record<string, unknown>;

/** What a test adds to the configuration file. */
export interface ConfigChanges {
  readonly maxMessageBytes?: number;
  /** Keys of `defaults`. */
  readonly defaults?: object;
  /** Entries of `participants`, in place of the one of the test. They need no thresholds. */
  readonly participants?: readonly object[];
}

export const CHANNELS = ['first.channels.b.apps.c.iam.d', 'second.channels.b.apps.c.iam.d'] as const;

const CALCULATED = 'settlementbus.position.calculated.v1';

export let server: TestRedis;
export let folder: string;
export let market: FakeMarket;
export let redis: Redis;
export let prefix: string;
export let participant: string;
export let queue: EventQueue;
export let keys: KeySource;
let apps: BuiltApp[];
export let lines: Line[];

/**
 * Sets up the tests of the calling file: one real Redis for the file, and a market, queue and participant for each test. The exported
 * variables hold those of the running test.
 */
export function setUpPollerTests(): void {
  beforeAll(async () => {
    server = await startTestRedis();
    folder = mkdtempSync(join(tmpdir(), 'poller-spec-'));
    writeFileSync(join(folder, 'integrity.keys'), generateSecret());
  });
  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true });
  });
  beforeEach(async () => {
    market = await FakeMarket.start();
    redis = connectRedis(server.url, { name: 'poller-spec', blocking: true });
    prefix = `{${randomUUID()}}`;
    participant = `P${randomUUID().slice(0, 8).toUpperCase()}`;
    keys = new FixedKeys(parseKeyRing(readFileSync(join(folder, 'integrity.keys'), 'utf8')));
    queue = openEventQueue({ redis, prefix, keys });
    apps = [];
    lines = [];
  });
  afterEach(async () => {
    for (const app of apps) await app.close();
    await queue.close();
    await redis.quit();
    await market.stop();
  });
}

/** The text that the bridge saves in a hash of the poller. */
export function savedText(key: string, field: string, content: string): string {
  return new AuthenticatedHash(redis, key, new ContentAuthenticator(keys, 'poller-state')).toText(
    field,
    content,
  );
}

export function settings(changes: Record<string, string> = {}, config: ConfigChanges = {}): Settings {
  return readSettings(definition, variables(changes, config));
}

/** The settings as environment variables. Writes the configuration file. */
export function variables(
  changes: Record<string, string> = {},
  { maxMessageBytes = 1_048_576, defaults = {}, participants = [{ code: participant }] }: ConfigChanges = {},
): Record<string, string> {
  const file = join(folder, `${participant}.yaml`);
  // The calculations of the tests are of yesterday, and too few for a trend.
  const detection = {
    position: { staleAfter: '31d' },
    forecast: { trend: { method: 'none' } },
    margin: { warning: '250000.00', breach: '0.00', hysteresis: '25000.00' },
    ...defaults,
  };
  writeFileSync(
    file,
    `defaults: ${JSON.stringify(detection)}
participants: ${JSON.stringify(participants)}
routes:
  - { types: ['settlementbus.margin.*'], channel: ${CHANNELS[0]} }
  - { types: ['*'], channel: ${CHANNELS[1]}, maxMessageBytes: ${maxMessageBytes} }
senders: []
alerts: { unattended: true, sinks: [{ name: log, kind: log }], rules: [{ types: ['*'], sinks: [log] }] }
`,
  );
  return {
    PORT: '0',
    REDIS_URL: server.url,
    DOCUMENT_STORE: 'none',
    QUEUE_PREFIX: prefix,
    CONFIG_FILE: file,
    INTEGRITY_KEYS_FILE: join(folder, 'integrity.keys'),
    PARTICIPANT: participant,
    TOKEN_URL: market.url,
    TOKEN_CLIENT_ID: 'account',
    TOKEN_CLIENT_SECRET: 'password',
    PRUDENTIAL_URL: market.url,
    SETTLEMENT_URL: market.url,
    POLL_PRUDENTIAL_INTERVAL_MS: '100',
    POLL_SETTLEMENT_INTERVAL_MS: '200',
    TIMELINE_INTERVAL_MS: '60',
    SETTLEMENT_DUE_INTERVAL_MS: '60',
    SETTLEMENT_OVERDUE_INTERVAL_MS: '60',
    SETTLEMENT_COMMENCED_INTERVAL_MS: '60',
    SETTLEMENT_RETRY_INTERVAL_MS: '60',
    SETTLEMENT_RECHECK_INTERVAL_MS: '60',
    SETTLEMENT_LATER_RECHECK_INTERVAL_MS: '60',
    // These tests poll far more often than the market allows.
    PRUDENTIAL_REQUESTS_PER_MINUTE: '0',
    PRUDENTIAL_REQUESTS_PER_FIVE_MINUTES: '0',
    LEASE_TTL_MS: '3000',
    ...changes,
  };
}

/** Writes the configuration file of the test again. */
export const rewrite = (config: ConfigChanges): void => void variables({}, config);

/** @param whileStarting called after the configuration file was read, before anything is connected */
export async function start(
  changes: Record<string, string> = {},
  config?: ConfigChanges,
  whileStarting: () => void | Promise<void> = () => undefined,
): Promise<BuiltApp & { url: string }> {
  const log = createLogger({
    name: 'poller',
    level: 'info',
    format: 'json',
    stream: { write: (line) => void lines.push(JSON.parse(line) as Line) },
  });
  const app = await buildApp(
    {
      name: 'poller',
      definition,
      module: async (given, givenLog) => {
        const module = await PollerModule.register(given, givenLog);
        await whileStarting();
        return module;
      },
      http: (given) => ({ port: given.PORT }),
    },
    settings(changes, config),
    log,
  );
  apps.push(app);
  const { managementUrl: url } = await app.listen();
  return { ...app, url };
}

export const steps = (step: string): Line[] => lines.filter((line) => line['step'] === step);
/** The queued events without position.calculated, which each calculation causes. */
export const facts = (): Line[] => steps('queued').filter(({ eventType }) => eventType !== CALCULATED);
export const requestCount = (path: string): number =>
  market.requests.filter((url) => url.startsWith(path)).length;
export const metric = async (url: string, name: string): Promise<string | undefined> =>
  (await (await fetch(`${url}/metrics`)).text()).split('\n').find((line) => line.startsWith(name));

/** The value of a metric of the participant; undefined when it is absent. @param name without `settlement_bridge_poller_` */
export async function metricOf(
  url: string,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<number | undefined> {
  const pairs = Object.entries({ participant, ...labels }).map(([label, value]) => `${label}="${value}"`);
  const line = await metric(url, `settlement_bridge_poller_${name}{${pairs.join(',')}}`);
  return line === undefined ? undefined : Number(line.split(' ').at(-1));
}

/** Whether the poller at this address holds the lease. */
export const leads = async (url: string): Promise<boolean> => (await metricOf(url, 'leader')) === 1;

/** Takes all events from the queue, as the bus-publisher does. */
export function consume(connection: RedisConnection = redis): {
  events: DetectedEvent[];
  close: () => Promise<void>;
} {
  const events: DetectedEvent[] = [];
  const deadLetters = openDeadLetters({ redis: connection, prefix, keys });
  const worker = new EventWorker(
    { redis: connection, prefix, keys, concurrency: 1, deadLetters, onError: () => undefined },
    {
      publish: async ({ event }) => {
        events.push(event);
        return { outcome: 'published' };
      },
    },
    { reportRefused: ([job]) => Promise.reject(new Error(`job ${job?.jobId} was refused`)) },
  );
  const close = async (): Promise<void> => {
    await worker.close();
    await deadLetters.close();
  };
  return { events, close };
}

/** Waits until a consumer has taken all events. */
export async function waitForEmptyQueue(): Promise<void> {
  await waitFor('an empty queue', async () => {
    const { waiting, active } = await queue.depth();
    return waiting + active === 0;
  });
}

/** Removes all events from the queue, and returns those of the market without position.calculated. */
export async function drain(): Promise<DetectedEvent[]> {
  const consumer = consume();
  await waitForEmptyQueue();
  await consumer.close();
  return consumer.events.filter(
    ({ type }) => type !== CALCULATED && !type.startsWith('settlementbus.bridge.'),
  );
}
