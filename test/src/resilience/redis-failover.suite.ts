import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkDurability, connectRedis } from '@ssb/redis-queue';
import { runToEnd, startTestCluster, startTestSentinels, type TestRedisGroup, waitFor } from '@ssb/testing';
import { type AppProcess, REPOSITORY_ROOT } from '@ssb/tools';
import type { Fact } from '../harness/market.js';
import { documentedUsers } from '../harness/redis-users.js';
import { PARTICIPANT } from '../harness/running-system.js';
import { running } from './shared-system.js';

const BURST = 12;
/** The master is killed after this many arrivals. */
const ARRIVALS_BEFORE_FAILOVER = 3;

const LEASE = `{bridge}:poller:${PARTICIPANT}:lease`;
const FENCE = `{bridge}:poller:${PARTICIPANT}:fence`;

type User = keyof ReturnType<typeof documentedUsers>['users'];

let folder: string;
let group: TestRedisGroup;
let settingsOf: (user: User) => Readonly<Record<string, string>>;

async function startGroup(start: (users: string[]) => Promise<TestRedisGroup>): Promise<void> {
  folder = mkdtempSync(join(tmpdir(), 'redis-failover-'));
  const { lines, users } = documentedUsers(folder);
  group = await start(lines);
  settingsOf = (user) => ({ REDIS_URL: '', ...group.settings, ...users[user] });
}

async function stopGroup(): Promise<void> {
  await group?.stop();
  rmSync(folder, { recursive: true, force: true });
}

describe('a bridge on Redis Sentinel, with the rights of docs/operate/databases.md', () => {
  const POLLERS = ['poller-one', 'poller-two'];
  const replaced = ['poller', 'bus-publisher'] as const;
  let apps: AppProcess[] = [];

  /** Replaces poller and bus-publisher by others on Sentinel. */
  beforeAll(async () => {
    await startGroup(startTestSentinels);
    await running.market.endRuns();
    await Promise.all(replaced.map((name) => running.system.process(name).stop()));
    apps = await Promise.all([
      ...POLLERS.map((name) => running.createReplica('poller', name, settingsOf('poller'))),
      running.createReplica('bus-publisher', 'bus-publisher-one', settingsOf('bus-publisher')),
    ]);
    await Promise.all(apps.map((app) => app.start()));
  });

  afterAll(async () => {
    await Promise.all(apps.map((app) => app.stop()));
    await stopGroup();
    await Promise.all(replaced.map((name) => running.system.process(name).start()));
  });

  it('delivers each event once, and continues with one leader, when the master is killed', async () => {
    const before = await group.masterOf(LEASE);
    const tokenBefore = Number(await before.get(FENCE));
    const facts = await running.market.publishStatements(BURST);
    await waitFor('some arrivals', () => countArrivals(facts) >= ARRIVALS_BEFORE_FAILOVER);
    await group.killMasterOf(LEASE);
    const later = await running.market.publishStatements(4);
    await running.waitForDetection([...facts, ...later]);
    await running.waitForDeliveries([...facts, ...later]);
    expect([...facts, ...later].filter((fact) => running.findDeliveredEvents(fact).length !== 1)).toEqual([]);

    const after = await waitFor('another master', async () => {
      const master = await group.masterOf(LEASE);
      return master.options.port !== before.options.port && master;
    });
    await waitFor('a leader', async () => (await after.exists(LEASE)) === 1);
    expect(Number(await after.get(FENCE))).toBeGreaterThanOrEqual(tokenBefore);
    await waitFor('one leader', () => countLeaders() === 1);
    await waitFor('an empty queue', async () => {
      const lengths = await Promise.all([after.llen(jobs('wait')), after.llen(jobs('active'))]);
      return lengths.every((length) => length === 0);
    });
    expect(await after.zcard(jobs('failed'))).toBe(0);
  });

  const jobs = (state: string): string => `{bridge}:settlement-events:${state}`;

  function countArrivals(facts: readonly Fact[]): number {
    return facts.filter((fact) => running.findDeliveredEvents(fact).length > 0).length;
  }

  /** Replicas whose latest term has not ended. */
  function countLeaders(): number {
    const isLeader = (app: string): boolean => {
      const changes = running.linesOf(app).filter((line) => 'leader' in line);
      return changes.at(-1)?.['leader'] === true;
    };
    return POLLERS.filter(isLeader).length;
  }
});

describe('the rights of docs/operate/databases.md on a Redis Cluster', () => {
  beforeAll(() => startGroup((users) => startTestCluster({ users })));
  afterAll(stopGroup);

  it.each<[User, string]>([
    ['poller', `{bridge}:poller:${PARTICIPANT}:writable`],
    ['bus-publisher', '{bridge}:writable:bus-publisher'],
    ['broker', 'broker:write-probe'],
  ])('permit %s to connect and to write', async (user, writableKey) => {
    const redis = connectRedis(settingsOf(user), { name: user, blocking: true });
    try {
      const warnings = await checkDurability(redis, { production: true, writableKey });
      expect(warnings).toEqual([expect.stringMatching('does not show its configuration')]);
      expect(await redis.get(writableKey)).toBe('1');
    } finally {
      redis.disconnect();
    }
  });

  it('permit the commands of busbridge', async () => {
    const { status, stdout, stderr } = await runToEnd(
      join(REPOSITORY_ROOT, 'bundles', 'cli.js'),
      ['records', 'list', '--json'],
      settingsOf('busbridge'),
    );
    expect([status, stderr, JSON.parse(stdout)]).toEqual([0, '', []]);
  });
});
