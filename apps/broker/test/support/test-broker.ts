import 'reflect-metadata';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildApp, createLogger, readSettings } from '@ssb/platform';
import { startTestRedis, type TestRedis } from '@ssb/testing';
import { broker } from '../../src/broker.app.js';
import { definition } from '../../src/settings.js';
import { Actor } from './actor.js';

export const AUDIENCE = 'urn:message-bus:broker';
export const USER_ROLE = 'user.roles.messagebus.apps.bridge.iam.local';
export const ISSUER = new Actor();

export interface TestBroker {
  readonly url: string;
  readonly managementUrl: string;
  /** The log lines so far. */
  readonly logged: () => string;
  close(): Promise<void>;
}

/** Starts the real broker on a free port. ISSUER decides on roles and creates channels. */
export async function startBroker(
  redisUrl: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<TestBroker> {
  const folder = mkdtempSync(join(tmpdir(), 'test-broker-'));
  writeFileSync(join(folder, 'secret'), 'a secret of at least thirty-two bytes');
  const environment = {
    PORT: '0',
    LOG_LEVEL: 'fatal',
    NODE_ENV: 'test',
    REDIS_URL: redisUrl,
    // Longer than any healthy call on a busy machine; tests that stop the engine set less.
    REDIS_TIMEOUT_MS: '20000',
    NATS_TIMEOUT_MS: '20000',
    TOKEN_SECRET_FILE: join(folder, 'secret'),
    IDENTITY_SECRET_FILE: join(folder, 'secret'),
    IDENTITY_KEY_FILE: join(folder, 'identity.key'),
    ROLE_ISSUERS: ISSUER.did,
    CHANNEL_CREATORS: ISSUER.did,
    ...settings,
  };
  const parsed = readSettings(definition, environment);
  const lines: string[] = [];
  const log = createLogger({
    name: 'broker',
    level: parsed.LOG_LEVEL,
    format: 'json',
    stream: { write: (line) => void lines.push(line) },
  });
  const app = await buildApp(broker, parsed, log);
  const {
    urls: [url = ''],
    managementUrl,
  } = await app.listen();
  return {
    url,
    managementUrl,
    logged: () => lines.join(''),
    close: async () => {
      await app.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A Redis with one broker for the tests of a file. Both are usable from the first test on. */
export function useBroker(settings: Readonly<Record<string, string>> = {}) {
  const { redis, brokers } = useStarted([settings]);
  const [broker] = brokers as [TestBroker];
  return { redis, broker };
}

/** A Redis with two brokers. */
export function useBrokers(settings: Readonly<Record<string, string>> = {}) {
  const { redis, brokers } = useStarted([settings, settings]);
  const [broker, other] = brokers as [TestBroker, TestBroker];
  return { redis, broker, other };
}

function useStarted(all: readonly Readonly<Record<string, string>>[]) {
  const redis = {} as TestRedis;
  const brokers = all.map(() => ({}) as TestBroker);
  beforeAll(async () => {
    Object.assign(redis, await startTestRedis());
    await Promise.all(
      brokers.map(async (broker, index) => Object.assign(broker, await startBroker(redis.url, all[index]))),
    );
  });
  afterAll(async () => {
    try {
      await Promise.all(brokers.map((broker) => broker.close()));
    } finally {
      await redis.stop();
    }
  });
  return { redis, brokers };
}
