import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import type { DetectedEvent } from '@ssb/events';
import { addDays, marketToday } from '@ssb/market';
import { buildApp, createLogger, readSettings, type BuiltApp } from '@ssb/platform';
import { openDeadLetters, openEventQueue, EventWorker, type EventQueue } from '@ssb/queue';
import { connectRedis, startTestRedis, type TestRedis } from '@ssb/redis';
import { pollerKeys } from './keys.js';
import { PollerModule, UnknownParticipantError } from './poller.module.js';
import { definition, type Settings } from './settings.js';
import { SmallMarket } from './testing/small-market.js';

type Line = Record<string, unknown>;
interface Timeline {
  readonly cycles: readonly object[];
}

const SUMMARY = '/api/v2/prudential/summary/latest';
const TIMELINE = '/api/v2/settlements/timeline';
const TODAY = marketToday(new Date());
const FROM = addDays(TODAY, -14);
const STATEMENT = `/api/v2/settlements/WEM/summary/${FROM}/INITIAL`;
const INVOICE = `/api/v2/settlements/WEM/invoice/${FROM}/INITIAL`;

let server: TestRedis;
let folder: string;
let market: SmallMarket;
let redis: Redis;
let prefix: string;
let participant: string;
let queue: EventQueue;
let apps: BuiltApp[];
let lines: Line[];

beforeAll(async () => {
  server = await startTestRedis();
  folder = mkdtempSync(join(tmpdir(), 'poller-spec-'));
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});
beforeEach(async () => {
  market = await SmallMarket.start();
  redis = connectRedis(server.url, { name: 'poller-spec', blocking: true });
  prefix = `{${randomUUID()}}`;
  participant = `P${randomUUID().slice(0, 8).toUpperCase()}`;
  queue = openEventQueue(redis, prefix);
  apps = [];
  lines = [];
});
afterEach(async () => {
  for (const app of apps) await app.close();
  await queue.close();
  await redis.quit();
  await market.stop();
});

function settings(changes: Record<string, string> = {}): Settings {
  const file = join(folder, `${participant}.yaml`);
  writeFileSync(
    file,
    `participants:
  - code: ${participant}
    margin: { warning: '250000.00', breach: '0.00', hysteresis: '25000.00' }
routes: [{ types: ['*'], channel: a.channels.b.apps.c.iam.d }]
senders: []
alerts: { sinks: [], rules: [] }
`,
  );
  return readSettings(definition, {
    PORT: '0',
    REDIS_URL: server.url,
    QUEUE_PREFIX: prefix,
    OPERATOR_CONFIG: file,
    PARTICIPANT: participant,
    TOKEN_URL: market.url,
    CLIENT_ID: 'account',
    CLIENT_SECRET: 'password',
    PRUDENTIAL_URL: market.url,
    SETTLEMENT_URL: market.url,
    POLL_PRUDENTIAL_INTERVAL_MS: '60',
    POLL_SETTLEMENT_INTERVAL_MS: '60',
    LEASE_TTL_MS: '1000',
    ...changes,
  });
}

async function start(changes: Record<string, string> = {}): Promise<BuiltApp & { url: string }> {
  const log = createLogger({
    name: 'poller',
    level: 'debug',
    format: 'json',
    stream: { write: (line) => void lines.push(JSON.parse(line)) },
  });
  const app = await buildApp(
    {
      name: 'poller',
      definition,
      module: (given) => PollerModule.register(given),
      http: (given) => ({ port: given.PORT }),
    },
    settings(changes),
    log,
  );
  apps.push(app);
  const [url = ''] = await app.listen();
  return { ...app, url };
}

async function until(condition: () => boolean | Promise<boolean>, boundMs = 8_000): Promise<void> {
  const deadline = Date.now() + boundMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error('the condition did not come true in time');
    await pause(10);
  }
}

const steps = (step: string): Line[] => lines.filter((line) => line['step'] === step);
const asked = (path: string): number => market.asked.filter((url) => url.startsWith(path)).length;
const metric = async (url: string, name: string): Promise<string | undefined> =>
  (await (await fetch(`${url}/metrics`)).text()).split('\n').find((line) => line.startsWith(name));

/** Takes everything off the queue, as the bus-publisher would. */
async function drain(): Promise<DetectedEvent[]> {
  const events: DetectedEvent[] = [];
  const deadLetters = openDeadLetters(redis, prefix);
  const worker = new EventWorker({
    redis,
    prefix,
    concurrency: 1,
    deadLetters,
    handle: async ({ event }) => {
      events.push(event);
      return { outcome: 'delivered' };
    },
    onError: () => undefined,
  });
  await until(async () => {
    const { waiting, active } = await queue.depth();
    return waiting + active === 0;
  });
  await worker.close();
  await deadLetters.close();
  return events;
}

const summary = (calculatedAt: string, tradingMargin: string): string =>
  `{"participantCode":"${participant}","tradingDay":"2026-03-02T00:00:00","outstandingAmount":1.5,` +
  `"tradingMargin":${tradingMargin},"calculatedAt":"2026-03-02T${calculatedAt}"}`;

const timeline = (): string =>
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

/** The same cycle once for each of these weeks. */
const timelineOf = (weeks: readonly string[]): string => {
  const { cycles } = JSON.parse(timeline()) as Timeline;
  const all = weeks.flatMap((from) => cycles.map((cycle) => ({ ...cycle, periodFrom: `${from}T00:00:00` })));
  return JSON.stringify({ cycles: all });
};

const statement = (code = participant): string =>
  `{"runId":7,"publishedAt":"2026-03-10T08:00:00","marketService":"WEM","designation":"INITIAL",` +
  `"period":"TW 01 Mar 2026","periodFrom":"${FROM}T00:00:00","periodTo":"${addDays(FROM, 6)}T00:00:00",` +
  `"participantCode":"${code}","tradingDays":[{"tradingDay":"${FROM}T00:00:00","variables":[` +
  `{"variable":"A","pOrC":"P","gstApplicable":"Y","value":123456789012345.67890123},` +
  `{"variable":"B","pOrC":"P","gstApplicable":"Y","value":0.00000001},` +
  `{"variable":"C","pOrC":"C","gstApplicable":"N","value":20.10}]}]}`;

const invoice = (): string =>
  `{"id":"INV-1","invoiceDate":"2026-03-11","dueDate":"2026-03-17","market":"WEM","adjustment":null,` +
  `"paymentSummary":{"total":10.00,"payableAmount":10.00,"settlementRequired":true}}`;

describe('the margin', () => {
  it('becomes an event when it goes over a threshold, and only then', async () => {
    market.answers.set(SUMMARY, summary('09:00:00', '300000'));
    await start();
    await until(() => asked(SUMMARY) >= 3);
    expect(steps('detected')).toEqual([]);
    market.answers.set(SUMMARY, summary('10:00:00', '249999.99999999'));
    await until(() => steps('queued').length === 1);
    market.answers.set(SUMMARY, summary('11:00:00', '-0.00000001'));
    await until(() => steps('queued').length === 2);
    market.answers.set(SUMMARY, summary('12:00:00', '25000'));
    await until(() => steps('queued').length === 3);
    const before = asked(SUMMARY);
    await until(() => asked(SUMMARY) > before + 3);
    const events = await drain();
    expect(events.map(({ type, data }) => [type, (data as unknown as Line)['tradingMargin']])).toEqual([
      ['settlementbus.margin.warning.v1', '249999.99999999'],
      ['settlementbus.margin.breached.v1', '-0.00000001'],
      ['settlementbus.margin.restored.v1', '25000'],
    ]);
  });

  it('is told at once when it is bad and nothing is remembered', async () => {
    market.answers.set(SUMMARY, summary('09:00:00', '-1'));
    await start();
    await until(() => steps('queued').length === 1);
    expect(steps('queued')[0]).toMatchObject({
      eventType: 'settlementbus.margin.breached.v1',
      subject: `${participant}/prudential`,
      publishedAt: '2026-03-02T09:00:00+08:00',
      eventId: expect.any(String),
    });
  });

  it('is one event when the poller dies between queue and memory: the same id is found again', async () => {
    market.answers.set(SUMMARY, summary('09:00:00', '-1'));
    const first = await start();
    await until(() => steps('queued').length === 1);
    await first.close();
    await redis.del(pollerKeys(participant).state);
    await start();
    await until(() => steps('queued').length === 2);
    expect(steps('queued')[0]?.['eventId']).toBe(steps('queued')[1]?.['eventId']);
    expect(await drain()).toHaveLength(1);
  });

  it('is told in full when the poller died after announcing a breach and the margin has recovered since', async () => {
    market.answers.set(SUMMARY, summary('09:00:00', '-1'));
    const first = await start();
    await until(() => steps('queued').length === 1);
    await first.close();
    const [breach] = await drain();
    // As the poller leaves it when it is killed before the queue has the event: announced, neither queued nor remembered.
    const { state } = pollerKeys(participant);
    const intent = { margin: { level: 'BREACHED', calculatedAt: '2026-03-02T09:00:00' }, event: breach };
    await redis.del(state);
    await redis.hset(state, 'margin-intent', JSON.stringify(intent));
    for (const key of await redis.keys(`${prefix}*`)) await redis.del(key);
    market.answers.set(SUMMARY, summary('10:00:00', '300000'));
    await start();
    await until(() => steps('queued').length === 3);
    expect((await drain()).map(({ type }) => type)).toEqual([
      'settlementbus.margin.breached.v1',
      'settlementbus.margin.restored.v1',
    ]);
    expect(await redis.hkeys(state)).toEqual(['margin']);
  });

  it.each<[string, string]>([
    [
      'of another participant',
      '{"participantCode":"OTHER","tradingDay":"2026-03-02T00:00:00","tradingMargin":-1,"calculatedAt":"2026-03-02T09:00:00"}',
    ],
    ['without the time of its calculation', '{"tradingDay":"2026-03-02T00:00:00","tradingMargin":-1}'],
  ])('%s is counted as a failure and not used', async (_, answer) => {
    market.answers.set(SUMMARY, answer);
    const { url } = await start();
    await until(() => asked(SUMMARY) >= 2);
    expect(steps('detected')).toEqual([]);
    expect(
      await metric(url, 'poller_failures_total{poll="prudential",kind="UnusableAnswerError"}'),
    ).toBeDefined();
  });
});

describe('settlement', () => {
  it('asks for what the timeline lets expect, until it is there, and then no more', async () => {
    market.answers.set(TIMELINE, timeline());
    await start();
    await until(() => asked(STATEMENT) >= 2 && asked(INVOICE) >= 2);
    market.answers.set(STATEMENT, statement());
    await until(() => steps('queued').length === 1);
    market.answers.set(INVOICE, invoice());
    await until(() => steps('queued').length === 2);
    const before = { timeline: asked(TIMELINE), statement: asked(STATEMENT), invoice: asked(INVOICE) };
    await until(() => asked(TIMELINE) > before.timeline + 3);
    expect({ statement: asked(STATEMENT), invoice: asked(INVOICE) }).toEqual({
      statement: before.statement,
      invoice: before.invoice,
    });
    expect(market.asked.some((url) => url.includes('ADJ1'))).toBe(false);
    const events = await drain();
    expect(events.map(({ type, subject }) => [type, subject])).toEqual([
      ['settlementbus.statement.published.v1', `${participant}/WEM/${FROM}/INITIAL`],
      ['settlementbus.invoice.issued.v1', `${participant}/WEM/${FROM}/INITIAL/invoice/INV-1`],
    ]);
    // Summed by hand; a double would have lost the last eight digits.
    expect(events[0]?.data).toMatchObject({
      runId: 7,
      tradingDays: 1,
      totals: { payment: '123456789012345.67890124', charge: '20.10' },
    });
    expect(events[1]?.data).toMatchObject({ id: 'INV-1', adjustment: 0, payableAmount: '10.00' });
  });

  it('asks for the timeline by the invoice days around today, in market time', async () => {
    await start({ TIMELINE_LOOKBACK_DAYS: '3', TIMELINE_LOOKAHEAD_DAYS: '4' });
    await until(() => asked(TIMELINE) >= 1);
    expect(market.asked.find((url) => url.startsWith(TIMELINE))).toBe(
      `${TIMELINE}?invoiceDateFrom=${addDays(TODAY, -3)}&invoiceDateTo=${addDays(TODAY, 4)}`,
    );
  });

  it('refuses a statement that is another participant’s, and still takes the invoice', async () => {
    market.answers.set(TIMELINE, timeline());
    market.answers.set(STATEMENT, statement('OTHER'));
    market.answers.set(INVOICE, invoice());
    await start();
    await until(() => steps('queued').length === 1);
    expect(steps('queued')[0]?.['eventType']).toBe('settlementbus.invoice.issued.v1');
  });
});

describe('trouble', () => {
  it('does not end the loop, and is logged once', async () => {
    market.answers.set(SUMMARY, 503);
    const { url } = await start();
    await until(() => asked(SUMMARY) >= 5);
    expect(
      lines.filter((line) => line['activity'] === 'prudential' && line['level'] === 'warn'),
    ).toHaveLength(1);
    expect(
      await metric(url, 'poller_failures_total{poll="prudential",kind="ReportingUnavailableError"}'),
    ).toBeDefined();
    market.answers.set(SUMMARY, summary('09:00:00', '-1'));
    await until(() => steps('queued').length === 1);
  });

  it('is no reason to drop the other statements and invoices: a malformed answer is counted, the rest is told', async () => {
    market.answers.set(TIMELINE, timeline());
    market.answers.set(STATEMENT, '{"runId":"seven"}');
    market.answers.set(INVOICE, invoice());
    const { url } = await start();
    await until(() => steps('queued').length === 1);
    expect(steps('queued')[0]?.['eventType']).toBe('settlementbus.invoice.issued.v1');
    expect(
      await metric(url, 'poller_failures_total{poll="settlement",kind="MalformedResponseError"}'),
    ).toBeDefined();
  });

  it('that asks for a pause gets it at once: nothing more is asked for in the same poll, nor in the next', async () => {
    const weeks = Array.from({ length: 10 }, (_, week) => addDays(FROM, -7 * week));
    market.answers.set(TIMELINE, timelineOf(weeks));
    for (const from of weeks)
      market.answers.set(`/api/v2/settlements/WEM/summary/${from}/INITIAL`, { later: 60 });
    const { url } = await start();
    await until(async () =>
      /[3-9]$/.test(
        (await metric(url, 'poller_polls_skipped_total{poll="settlement",reason="pause"}')) ?? '',
      ),
    );
    // Those that were under way beside the first refusal, of the twenty that were due.
    expect(asked('/api/v2/settlements/WEM')).toBeLessThanOrEqual(5);
    expect(asked(TIMELINE)).toBe(1);
  });

  it('that lasts makes the poller ask ever less', async () => {
    market.answers.set(SUMMARY, 503);
    const { url } = await start();
    await until(async () =>
      /[5-9]$/.test(
        (await metric(url, 'poller_polls_skipped_total{poll="prudential",reason="pause"}')) ?? '',
      ),
    );
    expect(asked(SUMMARY)).toBeLessThan(6);
  });

  it('never polls twice at a time: what comes due meanwhile is skipped and counted', async () => {
    let open = (): void => undefined;
    market.gate = new Promise((resolve) => (open = resolve));
    const { url } = await start();
    await until(async () =>
      /[1-9]$/.test((await metric(url, 'poller_polls_skipped_total{poll="prudential"')) ?? ''),
    );
    expect(await metric(url, 'poller_polls_total{poll="prudential"}')).toMatch(/ 1$/);
    open();
    await until(() => asked(SUMMARY) >= 2);
  });
});

describe('two replicas', () => {
  it('one polls; the other says that it stands by, and takes over when the first stops', async () => {
    market.answers.set(SUMMARY, summary('09:00:00', '300000'));
    const first = await start();
    await until(async () => (await metric(first.url, 'poller_leader')) === 'poller_leader 1');
    const second = await start();
    // Standing by is a state to be ready in: a deployment must not wait for a lease that another replica holds.
    for (const { url } of [first, second]) expect((await fetch(`${url}/health/ready`)).status).toBe(200);
    expect(await metric(second.url, 'poller_leader')).toBe('poller_leader 0');
    await first.close();
    const stopped = performance.now();
    market.answers.set(SUMMARY, summary('10:00:00', '-1'));
    await until(() => steps('queued').length === 1);
    expect(performance.now() - stopped).toBeLessThan(900);
    expect(await metric(second.url, 'poller_leader')).toBe('poller_leader 1');
  });
});

describe('a lease that is lost in the middle of a poll', () => {
  it('ends the asking, and nothing of it is remembered', async () => {
    const weeks = Array.from({ length: 10 }, (_, week) => addDays(FROM, -7 * week));
    market.answers.set(TIMELINE, timelineOf(weeks));
    await start();
    await until(() => asked('/api/v2/settlements/WEM') > 0);
    let open = (): void => undefined;
    market.gate = new Promise((resolve) => (open = resolve));
    // As another replica leaves them that took over while this one was not looking.
    const { lease, fence } = pollerKeys(participant);
    await redis.mset(lease, 'another', fence, String(Number.MAX_SAFE_INTEGER));
    await until(() => lines.some((line) => line['leader'] === false));
    market.answers.set(STATEMENT, statement());
    const before = asked('/api/v2/settlements/WEM');
    open();
    // Long enough for the rest of the twenty, were they asked for.
    await pause(200);
    // Each of those under way had been sent before; the market notes them when the gate opens.
    expect(asked('/api/v2/settlements/WEM') - before).toBeLessThanOrEqual(4);
    expect(await redis.hkeys(pollerKeys(participant).state)).toEqual([]);
  });
});

describe('the start', () => {
  it('is refused when the operator’s file does not name the participant', () => {
    const given = { ...settings(), PARTICIPANT: 'NOBODY' };
    expect(() => PollerModule.register(given)).toThrow(UnknownParticipantError);
  });
});
