import {
  createRedisBackend,
  Job,
  type BackendFactory,
  type JobJson,
  type JobProgress,
  type MinimalQueue,
  type RedisQueueBackend,
} from 'bullmq';
import { ReplyError } from 'ioredis';
import type { RedisConnection } from '../redis/servers.js';

/** A job whose data may not be JSON, because others can write to Redis. BullMQ's own class throws, and the job is taken again and again. */
export class ReadableJob<T, R, N extends string, P extends JobProgress> extends Job<T, R, N, P> {
  static override fromJSON<T, R, N extends string>(
    queue: MinimalQueue,
    json: JobJson,
    jobId?: string,
  ): Job<T, R, N> {
    try {
      return super.fromJSON<T, R, N>(queue, json, jobId);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      return super.fromJSON<T, R, N>(queue, { ...json, data: 'null' }, jobId);
    }
  }
}

/** Scripts of BullMQ that return the fields of the next job. */
const TAKING = new Set(['moveToActive', 'moveToFinished', 'moveToDelayed']);

/** Fields of a job that are read. BullMQ cannot decode every value of the others, and takes `id` for that of the job. */
const READ_FIELDS = new Set(['name', 'data', 'timestamp', 'delay', 'priority', 'ats', 'atm', 'processedOn']);

/** Further fields that BullMQ writes into a job of the bridge. Others would link it to another job, or fail it before it is processed. */
const WRITTEN_FIELDS = new Set(['opts', 'stc', 'finishedOn', 'failedReason', 'stacktrace', 'returnvalue']);

/** BullMQ cannot increment a counter that is not a number, and would take the job again and again. */
const COUNTERS = new Set(['ats', 'atm', 'stc']);
const COUNT = /^\d{1,15}$/;

/**
 * Deletes such counters of the newest active jobs. KEYS[1]: list of active jobs. ARGV: prefix of the keys of jobs, then the counters.
 */
const REPAIR = `
for _, id in ipairs(redis.call('LRANGE', KEYS[1], 0, 99)) do
  local key = ARGV[1] .. id
  for index = 2, #ARGV do
    local value = redis.pcall('HGET', key, ARGV[index])
    if type(value) == 'string' and (#value > 15 or not string.find(value, '^%d+$')) then
      redis.call('HDEL', key, ARGV[index])
    end
  end
end`;

/**
 * A backend that takes every job, whatever another client wrote into its fields.
 * @param onTaken called with the id of each job, in the order in which they are taken
 */
export function readableBackend(
  redis: RedisConnection,
  onTaken: (id: string) => void,
): BackendFactory<RedisQueueBackend> {
  return (name, options, connections) => {
    const backend = createRedisBackend(name, options, connections);
    const execute = backend.execCommand.bind(backend);
    backend.execCommand = (client, command, args: unknown[]): unknown =>
      TAKING.has(command) ? take(() => execute(client, command, args)) : execute(client, command, args);
    return backend;

    async function take(run: () => unknown): Promise<unknown> {
      let result;
      try {
        result = await run();
      } catch (error) {
        if (error instanceof ReplyError)
          await redis.eval(REPAIR, 1, backend.toKey('active'), backend.toKey(''), ...COUNTERS);
        throw error;
      }
      // A code, or a list that begins with names and values of the fields, and the id.
      if (!Array.isArray(result) || !Array.isArray(result[0])) return result;
      const [fields, id, ...others] = result as [string[], string, ...unknown[]];
      onTaken(id);
      const { read, unusable } = sortFields(fields);
      if (unusable.length > 0) await redis.hdel(backend.toKey(id), ...unusable);
      return [read, id, ...others];
    }
  };
}

/** @param fields names and values in turn */
function sortFields(fields: readonly string[]): { read: string[]; unusable: string[] } {
  const read: string[] = [];
  const unusable: string[] = [];
  for (let index = 0; index < fields.length; index += 2) {
    const [name = '', value = ''] = fields.slice(index, index + 2);
    const isKnown = READ_FIELDS.has(name) || WRITTEN_FIELDS.has(name);
    if (!isKnown || (COUNTERS.has(name) && !COUNT.test(value))) unusable.push(name);
    else if (READ_FIELDS.has(name)) read.push(name, value);
  }
  return { read, unusable };
}
