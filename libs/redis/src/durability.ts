import { withTimeout } from '@ssb/resilience';
import type { Redis } from 'ioredis';
import { explainConnectionError } from './connection-errors.js';
import { requireDatabase } from './require-database.js';
import { requirePermission } from './writable.js';

/** An app that starts waits this long for Redis. */
const START_TIMEOUT_MS = 30_000;

/** This Redis may lose data, which production does not accept. */
export class UnsafeRedisError extends Error {
  override readonly name = 'UnsafeRedisError';
  readonly startFault = 'configuration';

  constructor(readonly risks: readonly string[]) {
    super(`This Redis could lose data and is refused in production. ${risks.join(' ')}`);
  }
}

/** The configuration that decides about data loss. A value is undefined when Redis does not show it. */
export interface RedisDurability {
  readonly maxmemoryPolicy?: string;
  readonly appendonly?: string;
  readonly appendfsync?: string;
  readonly save?: string;
}

/** The risks of losing data, each a sentence with the remedy. */
export function findRisks({ maxmemoryPolicy, appendonly, save }: RedisDurability): string[] {
  const risks: string[] = [];
  if (maxmemoryPolicy !== undefined && maxmemoryPolicy !== 'noeviction') {
    risks.push(
      `Its maxmemory-policy is ${maxmemoryPolicy}, so it may throw jobs away when memory is short; set it to noeviction.`,
    );
  }
  if (appendonly !== undefined && appendonly !== 'yes') {
    risks.push(
      save
        ? 'It has no append-only file, so a crash loses what came since the last snapshot; set appendonly to yes.'
        : 'It keeps nothing on disk, so a restart loses everything; set appendonly to yes.',
    );
  }
  return risks;
}

/** The risk of losing acknowledged writes in a crash, as a sentence with the remedy; empty when Redis writes before it responds. */
export function findAcknowledgedWriteRisks({ appendonly, appendfsync }: RedisDurability): string[] {
  if (appendonly !== 'yes' || appendfsync === undefined || appendfsync === 'always') return [];
  return [
    `Its appendfsync is ${appendfsync}, so a crash may lose what it has confirmed last; set it to always.`,
  ];
}

export interface DurabilityRequirements {
  readonly production: boolean;
  /** A key of the app, which is written to check the rights of the user. */
  readonly writableKey?: string;
  /** The app acknowledges stored data to its clients, which do not send it again after a crash. */
  readonly acknowledgesWrites?: boolean;
}

/**
 * Checks that Redis has the database of the URL, permits writes and keeps its data.
 * @returns warnings, one sentence each; one of them when Redis does not show its configuration
 * @throws UnsafeRedisError in production, when there is a risk; RedisDatabaseError; a RedisConnectionError
 */
export async function checkDurability(
  redis: Redis,
  { production, writableKey, acknowledgesWrites = false }: DurabilityRequirements,
): Promise<string[]> {
  const durability = await readDurability(redis, writableKey);
  if (durability === undefined) {
    const required = ['appendonly is yes', ...(acknowledgesWrites ? ['appendfsync always'] : [])].join(', ');
    return [
      `This Redis does not show its configuration: make sure that ${required} and maxmemory-policy noeviction.`,
    ];
  }
  const risks = findRisks(durability);
  if (production && risks.length > 0) throw new UnsafeRedisError(risks);
  return acknowledgesWrites ? [...risks, ...findAcknowledgedWriteRisks(durability)] : risks;
}

async function readDurability(
  redis: Redis,
  writableKey: string | undefined,
): Promise<RedisDurability | undefined> {
  let connectionError: Error | undefined;
  let onError = (_: Error): void => undefined;
  // A command waits for a connection that a wrong configuration prevents.
  const misconfigured = new Promise<never>((_, reject) => {
    onError = (error) => {
      connectionError = error;
      const explained = explainConnectionError(redis, error);
      if (explained.startFault === 'configuration') reject(explained);
    };
  });
  redis.on('error', onError);
  try {
    // The connection of a queue waits for Redis without a limit.
    return await withTimeout(
      Promise.race([misconfigured, readConfiguration(redis, writableKey)]),
      START_TIMEOUT_MS,
    );
  } catch (error) {
    if (!(error instanceof Error) || 'startFault' in error) throw error;
    // Managed services rename or forbid CONFIG.
    if (/unknown command|NOPERM/i.test(error.message)) return undefined;
    throw explainConnectionError(redis, error, connectionError);
  } finally {
    redis.off('error', onError);
  }
}

async function readConfiguration(redis: Redis, writableKey: string | undefined): Promise<RedisDurability> {
  const read = async (key: string): Promise<string | undefined> => (await redis.config('GET', key))[1];
  await requireDatabase(redis);
  if (writableKey !== undefined) await requirePermission(redis, writableKey);
  return {
    maxmemoryPolicy: await read('maxmemory-policy'),
    appendonly: await read('appendonly'),
    appendfsync: await read('appendfsync'),
    save: await read('save'),
  };
}
