import {
  ScrapeReading,
  type GaugeDefinition,
  type Logger,
  type MetricDefinition,
  type Metrics,
} from '@ssb/platform';
import type { Redis } from 'ioredis';
import { listMasters, type RedisConnection } from '../redis/servers.js';
import type { EventQueue } from '../queue/event-queue.js';
import type { QueueDepth } from '../queue/queue-state.js';

/** The state that all replicas of poller and publisher share. Both apps show it, so that it is visible while one of them does not run. */
export const QUEUE_METRICS = {
  jobs: {
    type: 'gauge',
    name: 'settlement_bridge_queue_jobs',
    help: 'Events on the queue; delayed events wait for their next attempt. Absent while Redis does not respond.',
    labels: { state: ['waiting', 'active', 'delayed', 'failed'] },
  },
  oldestWaiting: {
    type: 'gauge',
    name: 'settlement_bridge_queue_oldest_waiting_seconds',
    help: 'How long the first event of the queue has been ready to be processed; 0 when none waits, absent while Redis does not respond.',
  },
  redisMemoryUsed: {
    type: 'gauge',
    name: 'settlement_bridge_queue_redis_memory_used_bytes',
    help: 'Memory that Redis uses; absent when its user may not call INFO, and while Redis is unavailable.',
  },
  redisMemoryLimit: {
    type: 'gauge',
    name: 'settlement_bridge_queue_redis_memory_limit_bytes',
    help: 'Memory that Redis may use (maxmemory, else that of its machine); absent like the memory in use.',
  },
} as const satisfies Record<string, MetricDefinition>;

/** What was found in Redis. */
export interface QueueState {
  readonly depth: QueueDepth;
  readonly oldestWaitingMs: number;
  /** Undefined when Redis does not show it. */
  readonly memory: RedisMemory | undefined;
}

export interface QueueReaderDependencies {
  /** In a cluster, every master is checked, even without keys of the queue. */
  readonly redis: RedisConnection;
  readonly queue: Pick<EventQueue, 'depth' | 'oldestWaiting'>;
  readonly log: Logger;
}

/** Reads the state of the queue. A server that has only other keys does not delay it for long. */
export class QueueReader {
  private canReadMemory = true;
  private readonly memory;

  constructor(private readonly dependencies: QueueReaderDependencies) {
    const { log } = dependencies;
    this.memory = new ScrapeReading(() => this.readMemory(), { what: 'memory of Redis', log });
  }

  async read(): Promise<QueueState> {
    const { queue } = this.dependencies;
    const now = new Date();
    const depth = await queue.depth();
    const oldest = await queue.oldestWaiting(now);
    return {
      depth,
      oldestWaitingMs: oldest === undefined ? 0 : now.getTime() - oldest.getTime(),
      memory: await this.memory.get(),
    };
  }

  /** A refused INFO is not repeated, because Redis logs each one. */
  private async readMemory(): Promise<RedisMemory | undefined> {
    if (!this.canReadMemory) return undefined;
    const memory = await readRedisMemory(this.dependencies.redis);
    this.canReadMemory = memory !== undefined;
    return memory;
  }
}

/** @param read called at each scrape; undefined: the state is not known */
export function observeQueue(
  metrics: Metrics,
  read: () => Promise<QueueState | undefined> | QueueState | undefined,
): void {
  metrics.gauge(QUEUE_METRICS.jobs, async (gauge) => {
    const state = await read();
    gauge.reset();
    for (const [name, count] of Object.entries({ ...state?.depth }))
      gauge.set({ state: name }, Number(count));
  });
  const observe = (
    definition: GaugeDefinition<never>,
    toValue: (state: QueueState) => number | undefined,
  ): void => {
    metrics.gauge(definition, async (gauge) => {
      const state = await read();
      const value = state && toValue(state);
      if (value === undefined) gauge.remove();
      else gauge.set(value);
    });
  };
  observe(QUEUE_METRICS.oldestWaiting, ({ oldestWaitingMs }) => oldestWaitingMs / 1_000);
  observe(QUEUE_METRICS.redisMemoryUsed, ({ memory }) => memory?.used);
  observe(QUEUE_METRICS.redisMemoryLimit, ({ memory }) => memory?.limit);
}

/** Bytes. */
export interface RedisMemory {
  readonly used: number;
  /** `maxmemory`, else the memory of the machine; undefined when Redis shows neither. */
  readonly limit: number | undefined;
}

/**
 * The memory of the server, or of the fullest master of a cluster.
 * @returns undefined when the user may not call INFO, or Redis does not show its memory
 */
export async function readRedisMemory(redis: RedisConnection): Promise<RedisMemory | undefined> {
  const memories = await Promise.all((await listMasters(redis)).map(readMemory));
  const known = memories.filter((memory) => memory.used > 0);
  return known.sort((left, right) => shareUsed(right) - shareUsed(left))[0];
}

function shareUsed({ used, limit = Infinity }: RedisMemory): number {
  return used / limit;
}

/** Zero bytes are used when Redis does not show them. */
async function readMemory(redis: Redis): Promise<RedisMemory> {
  const info = await redis.info('memory').catch((error: unknown) => {
    if (error instanceof Error && /NOPERM|unknown command/i.test(error.message)) return '';
    throw error;
  });
  const read = (field: string): number => Number(new RegExp(`^${field}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
  return { used: read('used_memory'), limit: read('maxmemory') || read('total_system_memory') || undefined };
}
