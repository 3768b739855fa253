import { freePort } from '@ssb/dev/free-ports';
import type { PrivateRedis } from '@ssb/dev/redis-server';
import type { Redis } from 'ioredis';
import { RedisNodes, type TestRedisGroup } from './redis-nodes.js';
import { waitFor } from './wait-for.js';

const SLOTS = 16_384;
const MASTERS = 3;

export interface TestClusterOptions {
  /** Lines of an access control list, for further users than `default`. */
  readonly users?: readonly string[];
  /** One replica for each master. Default false. */
  readonly replicas?: boolean;
}

interface Node {
  readonly server: PrivateRedis;
  readonly client: Redis;
}

/** A temporary Redis Cluster of three masters. */
export async function startTestCluster({
  users,
  replicas = false,
}: TestClusterOptions = {}): Promise<TestRedisGroup> {
  const group = new RedisNodes(users);
  try {
    const masters = await startNodes(group, MASTERS);
    const others = replicas ? await startNodes(group, MASTERS) : [];
    await Promise.all(masters.map(({ client }, index) => assignSlots(client, index)));
    await meet([...masters, ...others]);
    await Promise.all(others.map((replica, index) => replicate(replica, masters[index] as Node)));
    const nodes = [...masters, ...others];
    return {
      settings: {
        REDIS_CLUSTER_NODES: masters.map(({ server }) => `127.0.0.1:${server.port}`).join(','),
        REDIS_PASSWORD_FILE: group.passwordFile,
      },
      servers: () => nodes.map(({ client }) => client),
      masterOf: async (key) => (await findMaster(nodes, key)).client,
      killMasterOf: async (key) => (await findMaster(nodes, key)).server.kill(),
      stop: () => group.stop(),
    };
  } catch (error) {
    await group.stop();
    throw error;
  }
}

function startNodes(group: RedisNodes, count: number): Promise<Node[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const server = await group.start({
        'cluster-enabled': 'yes',
        'cluster-port': String(await freePort()),
        'cluster-node-timeout': '2000',
        'cluster-replica-validity-factor': '0',
      });
      return { server, client: group.connect(server.port) };
    }),
  );
}

async function assignSlots(client: Redis, index: number): Promise<void> {
  const first = Math.ceil((SLOTS * index) / MASTERS);
  const last = Math.ceil((SLOTS * (index + 1)) / MASTERS) - 1;
  await client.call('CLUSTER', 'SET-CONFIG-EPOCH', index + 1);
  await client.call('CLUSTER', 'ADDSLOTSRANGE', first, last);
}

async function meet(nodes: readonly Node[]): Promise<void> {
  const [first, ...others] = nodes as [Node, ...Node[]];
  for (const { server, client } of others) {
    const [, busPort = ''] = await client.config('GET', 'cluster-port');
    await first.client.call('CLUSTER', 'MEET', '127.0.0.1', server.port, busPort);
  }
  for (const { client } of nodes)
    await waitFor('a cluster of all nodes', async () => {
      const info = String(await client.call('CLUSTER', 'INFO'));
      return info.includes('cluster_state:ok') && info.includes(`cluster_known_nodes:${nodes.length}\r`);
    });
}

async function replicate({ client }: Node, master: Node): Promise<void> {
  await client.call('CLUSTER', 'REPLICATE', String(await master.client.call('CLUSTER', 'MYID')));
  await waitFor('a replica', async () =>
    (await client.info('replication')).includes('master_link_status:up'),
  );
}

/** Also after a failover, when the key has a master again. */
async function findMaster(nodes: readonly Node[], key: string): Promise<Node> {
  return waitFor(`the master of ${key}`, async () => {
    for (const node of nodes) {
      if (node.client.status !== 'ready') continue;
      const slot = Number(await node.client.call('CLUSTER', 'KEYSLOT', key));
      const ranges = (await node.client.call('CLUSTER', 'SLOTS')) as [number, number, [string, number]][];
      const range = ranges.find(([from, to]) => from <= slot && slot <= to);
      const found = nodes.find(({ server }) => server.port === range?.[2][1]);
      if (found?.client.status === 'ready') return found;
    }
    return undefined;
  });
}
