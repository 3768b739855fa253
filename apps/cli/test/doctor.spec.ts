import { readFileSync } from 'node:fs';
import { startTestRedis, type TestRedis } from '@ssb/testing';
import { connectRedis } from '@ssb/redis-queue';
import type { Status } from '../src/api/operations.js';
import { checkStatus } from '../src/doctor/check-status.js';
import { CHECKLIST } from '../src/doctor/go-live-checklist.js';
import { CONFIG } from './support/example.js';
import { runCommand } from './support/run-command.js';
import { startApi, type RunningApi } from './support/running-api.js';
import { createSubscriberTables, type SubscriberTables } from './support/subscriber-tables.js';

const PAGE = new URL('../../../../docs/operate/go-live.md', import.meta.url).pathname;

let tables: SubscriberTables;
let api: RunningApi;
let redis: TestRedis;

beforeAll(async () => {
  [tables, redis] = await Promise.all([createSubscriberTables(), startTestRedis()]);
  const admin = connectRedis(redis.url, { name: 'doctor-spec' });
  await admin.config('SET', 'maxmemory-policy', 'allkeys-lru');
  admin.disconnect();
  api = await startApi(tables, { POLLER_URLS: 'http://127.0.0.1:1' });
});
afterAll(async () => {
  await api.stop();
  await Promise.all([tables.close(), redis.stop()]);
});

interface Report {
  readonly counts: Readonly<Record<string, number>>;
  readonly results: readonly { group: string; check: string; outcome: string; detail: string }[];
}

/** The outcome and the text of a check. */
function find({ results }: Report, name: string): readonly [outcome: string, detail: string] | undefined {
  const found = results.find(({ check }) => check === name);
  return found && [found.outcome, found.detail];
}

async function examine(
  environment: Readonly<Record<string, string>>,
): Promise<Report & { status: number | null }> {
  const { status, stdout } = await runCommand(['doctor', '--json'], environment);
  return { ...(JSON.parse(stdout) as Report), status };
}

describe('busbridge doctor', () => {
  it('says what is wrong, what was not checked, and what to change', async () => {
    const report = await examine({
      BUSBRIDGE_URL: api.url,
      BUSBRIDGE_TOKEN: api.tokens.olivia,
      CONFIG_FILE: CONFIG,
      REDIS_URL: redis.url,
    });
    expect(report.status).toBe(1);
    expect(find(report, 'connection')).toEqual(['ok', api.url]);
    expect(find(report, 'rights')).toEqual(['ok', 'may read and act on all participants']);
    expect(find(report, 'clock')?.[0]).toBe('ok');
    expect(find(report, 'poller')).toEqual(['wrong', expect.stringContaining('ECONNREFUSED')]);
    expect(find(report, 'subscriber')).toEqual([
      'not-checked',
      expect.stringContaining('SUBSCRIBER_URLS is not set'),
    ]);
    expect(find(report, 'Redis')).toEqual([
      'warning',
      expect.stringContaining('maxmemory-policy is allkeys-lru'),
    ]);
    expect(find(report, 'file')).toEqual(['warning', expect.stringContaining('PUBLISHER_GATEWAY_DID')]);
    expect(find(report, 'gateways')).toEqual([
      'not-checked',
      expect.stringContaining('GATEWAY_PUBLISHER_ADMIN_PASSWORD_FILE'),
    ]);
    expect(find(report, 'External bus')).toEqual(['not-checked', expect.stringContaining('"Bus"')]);
    expect(find(report, 'Alert on purpose')?.[0]).toBe('by-hand');
    const requests = await tables.admin.query('SELECT 1 FROM request UNION ALL SELECT 1 FROM audit');
    expect(requests).toEqual([]);
  });

  it('says who may not act, and whom the API does not know', async () => {
    const asVictor = await examine({ BUSBRIDGE_URL: api.url, BUSBRIDGE_TOKEN: api.tokens.victor });
    expect(find(asVictor, 'rights')).toEqual(['ok', 'may read all participants']);
    const unknown = await examine({ BUSBRIDGE_URL: api.url, BUSBRIDGE_TOKEN: 'unknown' });
    expect(find(unknown, 'credential')).toEqual([
      'wrong',
      expect.stringContaining('does not accept who you are'),
    ]);
    const unnamed = await examine({ BUSBRIDGE_PROFILES_FILE: '/nowhere' });
    expect([unnamed.status, find(unnamed, 'connection')]).toEqual([
      1,
      ['wrong', expect.stringContaining('No bridge is named')],
    ]);
    const gone = await examine({ BUSBRIDGE_URL: 'http://127.0.0.1:1' });
    expect([gone.status, find(gone, 'connection')]).toEqual([
      1,
      ['wrong', expect.stringContaining('ECONNREFUSED')],
    ]);
  });

  it('walks the items of the page, and no others', () => {
    const items = [...readFileSync(PAGE, 'utf8').matchAll(/^(?:- |\d+\. )\[ \] (.+)$/gm)].map(
      ([, text = '']) => text,
    );
    const found = items.map((text) =>
      CHECKLIST.filter(({ item }) => text.startsWith(item)).map(({ item }) => item),
    );
    expect(found).toEqual(CHECKLIST.map(({ item }) => [item]));
  });
});

describe('the status of the API', () => {
  const HEALTHY: Status = {
    at: '2026-03-02T00:00:00Z',
    state: 'ok',
    summary: '',
    findings: [],
    hops: [
      {
        app: 'poller',
        name: 'poller',
        state: 'ok',
        version: '1.2.3',
        checks: [],
        faults: [],
        furtherFaults: 0,
        certificates: [{ name: 'client', daysLeft: 90 }],
      },
    ],
    polling: [
      {
        participant: 'WPGENCO',
        leaseHolder: 'one',
        interfaces: [
          {
            interface: 'prudential',
            lastSuccessAt: '2026-03-02T00:00:00Z',
            budgets: [{ seconds: 60, requests: 50, left: 40 }],
          },
        ],
      },
    ],
    queue: {
      waiting: 0,
      active: 0,
      delayed: 0,
      oldestWaitingSeconds: 0,
      deadLetters: 0,
      unverifiedDeadLetters: 0,
    },
    archive: {
      replicas: [{ name: 'one', isReader: true }],
      heartbeats: [{ participant: 'WPGENCO', channel: 'c', at: '2026-03-02T00:00:00Z', ageSeconds: 5 }],
      watermarks: [],
      openProblems: { critical: 0, warning: 0, info: 0, unacknowledgedCritical: 0 },
      sinks: [{ sink: 'treasury', pending: 0, parked: 0 }],
      quarantine: { messages: 0, trusted: 0 },
      unreadEvents: 0,
    },
  };
  const [hop] = HEALTHY.hops;
  const [polled] = HEALTHY.polling;
  const { archive } = HEALTHY;

  it('without anything wrong is ok', () => {
    expect(checkStatus(HEALTHY).filter(({ outcome }) => outcome !== 'ok')).toEqual([]);
  });

  it.each<[string, Partial<Status>, string, string]>([
    [
      'a certificate that expires',
      { hops: [{ ...hop!, certificates: [{ name: 'client', daysLeft: 3 }] }] },
      'warning',
      'renew its files',
    ],
    [
      'an expired one',
      { hops: [{ ...hop!, certificates: [{ name: 'client', daysLeft: -1 }] }] },
      'wrong',
      'It has expired',
    ],
    [
      'a check that is down',
      { hops: [{ ...hop!, state: 'error', checks: [{ name: 'redis', isUp: false }] }] },
      'wrong',
      'redis is down',
    ],
    ['two releases', { hops: [hop!, { ...hop!, version: '1.2.4' }] }, 'warning', 'finish the upgrade'],
    ['no lease', { polling: [{ participant: 'WPGENCO', interfaces: [] }] }, 'wrong', 'No poller polls it'],
    [
      'an interface that fails',
      {
        polling: [
          { ...polled!, interfaces: [{ interface: 'settlement', failingSince: 'noon', budgets: [] }] },
        ],
      },
      'wrong',
      'It fails since noon',
    ],
    [
      'a used budget',
      {
        polling: [
          {
            ...polled!,
            interfaces: [{ ...polled!.interfaces[0]!, budgets: [{ seconds: 60, requests: 50, left: 0 }] }],
          },
        ],
      },
      'warning',
      'All 50 requests',
    ],
    [
      'dead letters',
      { queue: { ...HEALTHY.queue!, deadLetters: 2 } },
      'wrong',
      'busbridge dead-letters list',
    ],
    ['no reader', { archive: { ...archive!, replicas: [] } }, 'wrong', 'No subscriber reads'],
    [
      'an old heartbeat',
      { archive: { ...archive!, heartbeats: [{ ...archive!.heartbeats[0]!, ageSeconds: 9_999 }] } },
      'wrong',
      'busbridge heartbeat',
    ],
    [
      'a sink that fails',
      { archive: { ...archive!, sinks: [{ sink: 's', pending: 1, parked: 0, failingSince: 'noon' }] } },
      'wrong',
      'busbridge sinks test s',
    ],
  ])('with %s says so once', (_, change, outcome, text) => {
    const found = checkStatus({ ...HEALTHY, ...change }).filter((each) => each.outcome !== 'ok');
    expect(found).toEqual([expect.objectContaining({ outcome, detail: expect.stringContaining(text) })]);
  });
});
