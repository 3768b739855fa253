import type { SendMessage } from '@ssb/bus';
import { createFactEvent, type DetectedEvent } from '@ssb/events';
import { generatePrivateKey } from '@ssb/identity';
import { FixedKeys, formatKeyRing, KeyRing, parseKeyRing, type KeySource } from '@ssb/keys';
import {
  buildApp,
  type BuiltApp,
  createLogger,
  generateSecret,
  readSettings,
  writeEncryptedFile,
} from '@ssb/platform';
import {
  type DeadLetters,
  type EventQueue,
  openDeadLetters,
  openEventQueue,
  connectRedis,
} from '@ssb/redis-queue';
import { startTestRedis, type TestRedis } from '@ssb/testing';
import type { Redis } from 'ioredis';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PublisherModule } from '../../src/publisher.module.js';
import { definition } from '../../src/settings.js';
import { FakeGateway } from './fake-gateway.js';

export type Line = Record<string, unknown>;

export const CHANNEL = 'prudential.channels.bridge.apps.participant.iam.market';
export const OPERATIONS_CHANNEL = 'operations.channels.bridge.apps.participant.iam.market';
export const KEY = generatePrivateKey();

const OPERATIONS_ROUTE = `  - { types: ['settlementbus.bridge.*'], channel: ${OPERATIONS_CHANNEL} }\n`;
const CONFIG = `participants: [{ code: WPGENCO, margin: { warning: '2', breach: '1', hysteresis: '0' } }]
routes:
  - { types: ['settlementbus.margin.*'], channel: ${CHANNEL} }
${OPERATIONS_ROUTE}senders: []
alerts: { unattended: true, sinks: [{ name: log, kind: log }], rules: [{ types: ['*'], sinks: [log] }] }
`;

const newKeyRing = (): KeyRing =>
  new KeyRing([{ version: 1, activeFrom: new Date(), secret: generateSecret() }]);

export let server: TestRedis;
export let folder: string;
export let gateway: FakeGateway;
export let redis: Redis;
export let prefix: string;
/** Those of INTEGRITY_KEYS_FILE. */
export let keys: KeySource;
export let queue: EventQueue;
export let deadLetters: DeadLetters;
let apps: BuiltApp[];
export let lines: Line[];

/**
 * Sets up the tests of the calling file: one real Redis for the file, and a gateway and a queue for each test. The exported variables hold
 * those of the running test.
 */
export function setUpPublisherTests(): void {
  beforeAll(async () => {
    server = await startTestRedis();
    folder = mkdtempSync(join(tmpdir(), 'publisher-spec-'));
    const secret = randomUUID() + randomUUID();
    writeFileSync(join(folder, 'secret'), `${secret}\n`);
    await writeEncryptedFile(join(folder, 'origin.key'), Buffer.from(KEY.toHex()), Buffer.from(secret));
    writeFileSync(join(folder, 'bridge.yaml'), CONFIG);
    for (const name of ['integrity.keys', 'transaction-ids.keys'])
      writeFileSync(join(folder, name), formatKeyRing(newKeyRing()));
  });
  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true });
  });
  beforeEach(async () => {
    gateway = new FakeGateway(CHANNEL, OPERATIONS_CHANNEL);
    await gateway.start();
    redis = connectRedis(server.url, { name: 'publisher-spec', blocking: true });
    prefix = `{${randomUUID()}}`;
    keys = new FixedKeys(parseKeyRing(readFileSync(join(folder, 'integrity.keys'), 'utf8')));
    queue = openEventQueue({ redis, prefix, keys });
    deadLetters = openDeadLetters({ redis, prefix, keys });
    apps = [];
    lines = [];
  });
  afterEach(async () => {
    for (const app of apps) await app.close();
    await queue.close();
    await deadLetters.close();
    await redis.quit();
    await gateway.stop();
  });
}

/** Writes a configuration without a route of operational alerts, or with types that are ignored. @returns the file's name */
export function writeConfig(
  change: { operations?: false; ignore?: string; channel?: string; participants?: readonly string[] },
  file = join(folder, `${randomUUID()}.yaml`),
): string {
  const { channel = CHANNEL, participants = ['WPGENCO'] } = change;
  const entries = participants.map(
    (code) => `{ code: ${code}, margin: { warning: '2', breach: '1', hysteresis: '0' } }`,
  );
  const all = CONFIG.replace(CHANNEL, channel).replace(/\[.*\]/, `[${entries.join(', ')}]`);
  const config = change.operations === false ? all.replace(OPERATIONS_ROUTE, '') : all;
  writeFileSync(file, change.ignore === undefined ? config : `${config}ignore: ['${change.ignore}']\n`);
  return file;
}

export async function start(changes: Record<string, string> = {}): Promise<BuiltApp & { url: string }> {
  const log = createLogger({
    name: 'bus-publisher',
    level: 'debug',
    format: 'json',
    stream: { write: (line) => void lines.push(JSON.parse(line)) },
  });
  const settings = readSettings(definition, {
    PORT: '0',
    REDIS_URL: server.url,
    QUEUE_PREFIX: prefix,
    CONFIG_FILE: join(folder, 'bridge.yaml'),
    INTEGRITY_KEYS_FILE: join(folder, 'integrity.keys'),
    TRANSACTION_ID_KEYS_FILE: join(folder, 'transaction-ids.keys'),
    GATEWAY_URL: gateway.url,
    GATEWAY_USERNAME: 'bridge',
    GATEWAY_PASSWORD: 'password',
    GATEWAY_CHECK_INTERVAL_MS: '100',
    ORIGIN_KEY_FILE: join(folder, 'origin.key'),
    ORIGIN_KEY_SECRET_FILE: join(folder, 'secret'),
    ...changes,
  });
  const app = await buildApp(
    {
      name: 'bus-publisher',
      definition,
      module: (given, givenLog) => PublisherModule.register(given, givenLog),
      http: (given) => ({ port: given.PORT }),
    },
    settings,
    log,
  );
  apps.push(app);
  const { managementUrl: url } = await app.listen();
  return { ...app, url };
}

/** An event with its own id for each minute. */
export function breach(minute: number, tradingMargin = '-12.5'): DetectedEvent {
  return createFactEvent(
    {
      type: 'settlementbus.margin.breached.v1',
      data: {
        tradingDay: '2026-03-02T00:00:00',
        calculatedAt: `2026-03-02T09:${String(minute).padStart(2, '0')}:00`,
        level: 'BREACHED',
        previousLevel: 'OK',
        tradingMargin,
        thresholds: { warning: '2', breach: '1', hysteresis: '0' },
      },
    },
    'WPGENCO',
    { detectedAt: new Date(), traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' },
  );
}

export const isQueueEmpty = async (): Promise<boolean> => {
  const { waiting, active, delayed, failed } = await queue.depth();
  return waiting + active + delayed + failed === 0;
};
/** Log lines of published facts; operational alerts are left out. */
export const published = (): Line[] =>
  lines.filter(
    (line) =>
      line['step'] === 'published' && !String(line['eventType']).startsWith('settlementbus.bridge.alert.'),
  );
/** Messages to the channel of the facts. */
export const sentFacts = (): SendMessage[] => gateway.received.filter(({ fqcn }) => fqcn === CHANNEL);
/** Operational alerts that the gateway received. */
export const sentAlerts = (): DetectedEvent[] =>
  gateway.received
    .filter(({ fqcn }) => fqcn === OPERATIONS_CHANNEL)
    .map(({ payload }) => JSON.parse(payload) as DetectedEvent);
export const refusal = (status: number, code: string, reason = 'no') => ({
  status,
  body: { err: { code, reason } },
});
