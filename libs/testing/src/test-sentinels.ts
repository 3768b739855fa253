import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@ssb/dev/free-ports';
import type { PrivateRedis } from '@ssb/dev/redis-server';
import type { Redis } from 'ioredis';
import { RedisNodes, redisProgram, type TestRedisGroup } from './redis-nodes.js';
import { waitFor } from './wait-for.js';

const MASTER = 'bridge';
const SENTINELS = 3;
const QUORUM = 2;

export interface TestSentinels extends TestRedisGroup {
  /** Makes the replica the master, until every Sentinel names it. */
  failOver(): Promise<void>;
}

/** A temporary master with one replica, and three Sentinels with the same password. @param users lines of an access control list */
export async function startTestSentinels(users: readonly string[] = []): Promise<TestSentinels> {
  const group = new RedisNodes(users);
  const sentinels: ChildProcess[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(sentinels.map(endProcess));
    await group.stop();
  };
  try {
    const master = await group.start({});
    const replica = await group.start({ replicaof: `127.0.0.1 ${master.port}` });
    const servers = [master, replica].map((server) => ({ server, client: group.connect(server.port) }));
    await waitFor('the replica', async () =>
      (await servers[1]?.client.info('replication'))?.includes('master_link_status:up'),
    );
    const ports = await Promise.all(Array.from({ length: SENTINELS }, () => freePort()));
    writeConfigurations(group, ports, master, replica);
    sentinels.push(...ports.map((_, index) => startSentinel(group, index)));
    const clients = ports.map((port) => group.connect(port));
    for (const client of clients)
      await waitFor('a Sentinel that knows the others', async () => {
        const state = await client.call('SENTINEL', 'CKQUORUM', MASTER).catch(() => undefined);
        return String(state).includes(`${SENTINELS} usable Sentinels`);
      });
    const findMaster = () =>
      waitFor('the master', async () => {
        const address = await clients[0]?.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', MASTER);
        const [, port] = address as [string, string];
        return servers.find(({ server }) => server.port === Number(port));
      });
    return {
      settings: {
        REDIS_SENTINELS: ports.map((port) => `127.0.0.1:${port}`).join(','),
        REDIS_SENTINEL_MASTER: MASTER,
        REDIS_SENTINEL_PASSWORD_FILE: group.passwordFile,
        REDIS_PASSWORD_FILE: group.passwordFile,
      },
      servers: () => servers.map(({ client }) => client),
      masterOf: async () => (await findMaster()).client,
      killMasterOf: async () => (await findMaster()).server.kill(),
      failOver: async () => {
        const addressOf = (client: Redis | undefined): Promise<unknown> | undefined =>
          client?.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', MASTER);
        const before = String(await addressOf(clients[0]));
        await waitFor('a replica that can take over', () => startFailover(clients[0]));
        for (const client of clients)
          await waitFor('another master', async () => String(await addressOf(client)) !== before);
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Sentinels that already know the others. Otherwise they would find them after some seconds. */
function writeConfigurations(
  group: RedisNodes,
  ports: readonly number[],
  master: PrivateRedis,
  replica: PrivateRedis,
): void {
  const ids = ports.map(() => randomBytes(20).toString('hex'));
  for (const [index, port] of ports.entries()) {
    const folder = sentinelFolder(group, index);
    mkdirSync(folder);
    const lines = [
      `port ${port}`,
      'bind 127.0.0.1',
      `dir ${folder}`,
      `requirepass ${group.password}`,
      `sentinel myid ${ids[index]}`,
      `sentinel sentinel-pass ${group.password}`,
      `sentinel monitor ${MASTER} 127.0.0.1 ${master.port} ${QUORUM}`,
      `sentinel auth-pass ${MASTER} ${group.password}`,
      `sentinel down-after-milliseconds ${MASTER} 1500`,
      `sentinel failover-timeout ${MASTER} 5000`,
      `sentinel known-replica ${MASTER} 127.0.0.1 ${replica.port}`,
      ...ids.flatMap((id, other) =>
        other === index ? [] : [`sentinel known-sentinel ${MASTER} 127.0.0.1 ${ports[other]} ${id}`],
      ),
    ];
    writeFileSync(configFile(group, index), `${lines.join('\n')}\n`, { mode: 0o600 });
  }
}

function startSentinel(group: RedisNodes, index: number): ChildProcess {
  return spawn(redisProgram(), [configFile(group, index), '--sentinel'], { stdio: 'ignore' });
}

function sentinelFolder(group: RedisNodes, index: number): string {
  return join(group.folder, `sentinel-${index}`);
}

function configFile(group: RedisNodes, index: number): string {
  return join(sentinelFolder(group, index), 'sentinel.conf');
}

async function endProcess(process: ChildProcess): Promise<void> {
  if (process.exitCode !== null || process.signalCode !== null) return;
  const ended = once(process, 'exit');
  process.kill('SIGKILL');
  await ended;
}

/** @returns false while the sentinel regards the replica as down, as it does after a pause of the machine */
async function startFailover(sentinel: Redis | undefined): Promise<boolean> {
  try {
    await sentinel?.call('SENTINEL', 'FAILOVER', MASTER);
  } catch (error) {
    if (/NOGOODSLAVE/.test(String(error))) return false;
    // The sentinels have started a failover themselves.
    if (!/INPROG/.test(String(error))) throw error;
  }
  return true;
}
