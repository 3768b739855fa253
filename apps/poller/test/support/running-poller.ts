import type { DetectedEvent } from '@ssb/events';
import { ContentAuthenticator, FixedKeys, type KeySource, parseKeyRing } from '@ssb/key-ring';
import { addDays, toMarketDate } from '@ssb/market';
import { buildApp, type BuiltApp, createLogger, generateSecret, readSettings } from '@ssb/platform';
import { type EventQueue, EventWorker, openDeadLetters, openEventQueue } from '@ssb/queue';
import { AuthenticatedHash, connectRedis, type RedisConnection } from '@ssb/redis';
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
interface Timeline {
  readonly cycles: readonly object[];
}

export const SUMMARY = '/api/v2/prudential/summary/latest';
export const TIMELINE = '/api/v2/settlements/timeline';
export const CHANNELS = ['first.channels.b.apps.c.iam.d', 'second.channels.b.apps.c.iam.d'] as const;
export const TODAY = toMarketDate(new Date());
export const FROM = addDays(TODAY, -14);
export const STATEMENT = `/api/v2/settlements/WEM/summary/${FROM}/INITIAL`;
export const INVOICE = `/api/v2/settlements/WEM/invoice/${FROM}/INITIAL`;

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

export const redisUrl = (): string => server.url;

export function settings(changes: Record<string, string> = {}, maxMessageBytes = 1_048_576): Settings {
  const file = join(folder, `${participant}.yaml`);
  writeFileSync(
    file,
    `participants:
  - code: ${participant}
    margin: { warning: '250000.00', breach: '0.00', hysteresis: '25000.00' }
routes:
  - { types: ['settlementbus.margin.*'], channel: ${CHANNELS[0]} }
  - { types: ['*'], channel: ${CHANNELS[1]}, maxMessageBytes: ${maxMessageBytes} }
senders: []
alerts: { sinks: [{ name: console, kind: console }], rules: [{ types: ['*'], sinks: [console], alert: true }] }
`,
  );
  return readSettings(definition, {
    PORT: '0',
    REDIS_URL: server.url,
    QUEUE_PREFIX: prefix,
    CONFIG_FILE: file,
    INTEGRITY_KEYS_FILE: join(folder, 'integrity.keys'),
    PARTICIPANT: participant,
    TOKEN_URL: market.url,
    TOKEN_CLIENT_ID: 'account',
    TOKEN_CLIENT_SECRET: 'password',
    PRUDENTIAL_URL: market.url,
    SETTLEMENT_URL: market.url,
    POLL_PRUDENTIAL_INTERVAL_MS: '60',
    POLL_SETTLEMENT_INTERVAL_MS: '60',
    // These tests poll far more often than the market allows.
    PRUDENTIAL_REQUESTS_PER_MINUTE: '0',
    PRUDENTIAL_REQUESTS_PER_FIVE_MINUTES: '0',
    LEASE_TTL_MS: '3000',
    ...changes,
  });
}

export async function start(
  changes: Record<string, string> = {},
  maxMessageBytes?: number,
): Promise<BuiltApp & { url: string }> {
  const log = createLogger({
    name: 'poller',
    level: 'debug',
    format: 'json',
    stream: { write: (line) => void lines.push(JSON.parse(line) as Line) },
  });
  const app = await buildApp(
    {
      name: 'poller',
      definition,
      module: (given, givenLog) => PollerModule.register(given, givenLog),
      http: (given) => ({ port: given.PORT }),
    },
    settings(changes, maxMessageBytes),
    log,
  );
  apps.push(app);
  const { managementUrl: url } = await app.listen();
  return { ...app, url };
}

export const steps = (step: string): Line[] => lines.filter((line) => line['step'] === step);
export const requestCount = (path: string): number =>
  market.requests.filter((url) => url.startsWith(path)).length;
export const metric = async (url: string, name: string): Promise<string | undefined> =>
  (await (await fetch(`${url}/metrics`)).text()).split('\n').find((line) => line.startsWith(name));

/** Whether the poller at this address holds the lease. */
export const leads = async (url: string): Promise<boolean> =>
  (await metric(url, 'poller_leader')) === `poller_leader{participant="${participant}"} 1`;

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
      reportRefused: ([job]) => Promise.reject(new Error(`job ${job?.jobId} was refused`)),
    },
  );
  const close = async (): Promise<void> => {
    await worker.close();
    await deadLetters.close();
  };
  return { events, close };
}

/** Removes all events from the queue, and returns those of the market. */
export async function drain(): Promise<DetectedEvent[]> {
  const consumer = consume();
  await waitFor('an empty queue', async () => {
    const { waiting, active } = await queue.depth();
    return waiting + active === 0;
  });
  await consumer.close();
  return consumer.events.filter(({ type }) => !type.startsWith('settlementbus.bridge.'));
}

export const summary = (calculatedAt: string, tradingMargin: string): string =>
  `{"participantCode":"${participant}","tradingDay":"2026-03-02T00:00:00","outstandingAmount":1.5,` +
  `"tradingMargin":${tradingMargin},"calculatedAt":"2026-03-02T${calculatedAt}"}`;

export const timeline = (): string =>
  JSON.stringify({
    cycles: [
      {
        period: 'TW 01 Mar 2026',
        marketService: 'WEM',
        periodFrom: `${FROM}T00:00:00`,
        periodTo: `${addDays(FROM, 6)}T00:00:00`,
        runs: [
          {
            designation: 'INITIAL',
            commencementDate: `${addDays(TODAY, -1)}T00:00:00`,
            statementDate: `${TODAY}T00:00:00`,
            invoiceDate: `${addDays(TODAY, 1)}T00:00:00`,
            settlementDate: `${addDays(TODAY, 5)}T00:00:00`,
          },
          {
            designation: 'ADJ1',
            commencementDate: `${addDays(TODAY, 30)}T00:00:00`,
            statementDate: `${addDays(TODAY, 31)}T00:00:00`,
            invoiceDate: `${addDays(TODAY, 32)}T00:00:00`,
            settlementDate: `${addDays(TODAY, 35)}T00:00:00`,
          },
        ],
      },
    ],
  });

/** A timeline with the same cycle in each of these weeks. */
export const timelineWithWeeks = (weeks: readonly string[]): string => {
  const { cycles } = JSON.parse(timeline()) as Timeline;
  const all = weeks.flatMap((from) => cycles.map((cycle) => ({ ...cycle, periodFrom: `${from}T00:00:00` })));
  return JSON.stringify({ cycles: all });
};

export const statement = (code = participant): string =>
  `{"runId":7,"publishedAt":"2026-03-10T08:00:00","marketService":"WEM","designation":"INITIAL",` +
  `"period":"TW 01 Mar 2026","periodFrom":"${FROM}T00:00:00","periodTo":"${addDays(FROM, 6)}T00:00:00",` +
  `"participantCode":"${code}","tradingDays":[{"tradingDay":"${FROM}T00:00:00","variables":[` +
  `{"variable":"A","pOrC":"P","gstApplicable":"Y","value":123456789012345.67890123},` +
  `{"variable":"B","pOrC":"P","gstApplicable":"Y","value":0.00000001},` +
  `{"variable":"C","pOrC":"C","gstApplicable":"N","value":20.10}]}]}`;

/** A statement of this many variables, each fourth a charge, as the operator sends it and in the RFC 8785 form of its record. */
export function statementWithVariables(count: number): { json: string; canonical: string } {
  const days = [FROM, addDays(FROM, 1)].map((day, index) => {
    const numbers = Array.from({ length: count / 2 }, (_, at) => index * (count / 2) + at);
    const variables = numbers.map((number) => ({
      name: `VARIABLE_WITH_A_LONG_NAME_${number}`,
      pOrC: number % 4 === 0 ? 'C' : 'P',
      gst: number % 2 === 0 ? 'Y' : 'N',
    }));
    return { day: `${day}T00:00:00`, variables };
  });
  // JSON.stringify would lose the digits of the values.
  const sent = days.map(({ day, variables }) => {
    const list = variables.map(
      ({ name, pOrC, gst }) =>
        `{"variable":"${name}","pOrC":"${pOrC}","gstApplicable":"${gst}","value":${pOrC === 'C' ? '100.00000001' : '1.0000000001E2'}}`,
    );
    return `{"tradingDay":"${day}","variables":[${list.join(',')}]}`;
  });
  const canonicalDays = days.map(({ day, variables }) => {
    const list = variables.map(
      ({ name, pOrC, gst }) =>
        `{"gstApplicable":"${gst}","pOrC":"${pOrC}","value":"${pOrC === 'C' ? '100.00000001' : '100.00000001'}","variable":"${name}"}`,
    );
    return `{"tradingDay":"${day}","variables":[${list.join(',')}]}`;
  });
  const to = `${addDays(FROM, 6)}T00:00:00`;
  return {
    json:
      `{"runId":7,"publishedAt":"2026-03-10T08:00:00","marketService":"WEM","designation":"INITIAL",` +
      `"period":"TW 01 Mar 2026","periodFrom":"${FROM}T00:00:00","periodTo":"${to}",` +
      `"participantCode":"${participant}","tradingDays":[${sent.join(',')}]}`,
    canonical:
      `{"designation":"INITIAL","marketService":"WEM","participantCode":"${participant}",` +
      `"period":"TW 01 Mar 2026","periodFrom":"${FROM}T00:00:00","periodTo":"${to}",` +
      `"publishedAt":"2026-03-10T08:00:00","runId":7,"tradingDays":[${canonicalDays.join(',')}]}`,
  };
}

export const invoice = (): string =>
  `{"id":"INV-1","invoiceDate":"2026-03-11","dueDate":"2026-03-17","market":"WEM","adjustment":null,` +
  `"paymentSummary":{"total":10.00,"payableAmount":10.00,"settlementRequired":true}}`;
