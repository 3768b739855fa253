import { withTimeout } from '@ssb/net';
import { type Redis, ReplyError } from 'ioredis';
import { explainConnectionError, RedisDatabaseError } from './connection-errors.js';
import { onConnectionError } from './connection-events.js';
import { addressOf, findMasterAddress, listMasters, type RedisConnection } from './servers.js';
import { assertPermission } from './writable.js';

/** An app that starts waits this long for Redis. */
const START_TIMEOUT_MS = 30_000;
/** Time for a master of a cluster that holds no keys of the app. */
const OTHER_MASTER_TIMEOUT_MS = 5_000;

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
  /** A key of the app, which is written to check the rights of the user. Of a cluster, only the master of this key must respond. */
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
  redis: RedisConnection,
  { production, writableKey, acknowledgesWrites = false }: DurabilityRequirements,
): Promise<string[]> {
  const read = await readDurability(redis, writableKey);
  if (read === undefined) {
    const required = ['appendonly is yes', ...(acknowledgesWrites ? ['appendfsync always'] : [])].join(', ');
    return [
      `This Redis does not show its configuration: make sure that ${required} and maxmemory-policy noeviction.`,
    ];
  }
  const { servers, unresponsive } = read;
  const risks = unique(servers.flatMap(findRisks));
  if (production && risks.length > 0) throw new UnsafeRedisError(risks);
  return [
    ...risks,
    ...(acknowledgesWrites ? unique(servers.flatMap(findAcknowledgedWriteRisks)) : []),
    ...unresponsive.map(
      (address) => `Its master ${address} does not respond, so its configuration is unknown; check it.`,
    ),
  ];
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}

async function readDurability(
  redis: RedisConnection,
  writableKey: string | undefined,
): Promise<Configurations | undefined> {
  let connectionError: Error | undefined;
  let stopListening = (): void => undefined;
  // A command waits for a connection that a wrong configuration prevents.
  const misconfigured = new Promise<never>((_, reject) => {
    stopListening = onConnectionError(redis, (error) => {
      connectionError = error;
      const explained = explainConnectionError(redis, error);
      if (explained.startFault === 'configuration') reject(explained);
    });
  });
  try {
    // The connection of a queue waits for Redis without a limit.
    return await withTimeout(
      Promise.race([misconfigured, readConfigurations(redis, writableKey)]),
      START_TIMEOUT_MS,
    );
  } catch (error) {
    if (!(error instanceof Error) || 'startFault' in error) throw error;
    // Managed services rename or forbid CONFIG.
    if (/unknown command|NOPERM/i.test(error.message)) return undefined;
    throw explainConnectionError(redis, error, connectionError);
  } finally {
    stopListening();
  }
}

/** Configuration of the server, or of each master of a cluster. */
interface Configurations {
  readonly servers: RedisDurability[];
  /** Addresses of masters. */
  readonly unresponsive: string[];
}

async function readConfigurations(
  redis: RedisConnection,
  writableKey: string | undefined,
): Promise<Configurations> {
  await assertDatabase(redis);
  if (writableKey !== undefined) await assertPermission(redis, writableKey);
  const required = writableKey === undefined ? undefined : findMasterAddress(redis, writableKey);
  const unresponsive: string[] = [];
  const read = async (master: Redis): Promise<RedisDurability[]> => {
    if (required === undefined || addressOf(master) === required) return [await readConfiguration(master)];
    try {
      return [await withTimeout(readConfiguration(master), OTHER_MASTER_TIMEOUT_MS)];
    } catch (error) {
      if (error instanceof ReplyError) throw error;
      unresponsive.push(addressOf(master));
      return [];
    }
  };
  const servers = await Promise.all((await listMasters(redis)).map(read));
  return { servers: servers.flat(), unresponsive };
}

async function readConfiguration(redis: Redis): Promise<RedisDurability> {
  const read = async (key: string): Promise<string | undefined> => (await redis.config('GET', key))[1];
  return {
    maxmemoryPolicy: await read('maxmemory-policy'),
    appendonly: await read('appendonly'),
    appendfsync: await read('appendfsync'),
    save: await read('save'),
  };
}

/** The error of Redis when the database does not exist or may not be used. */
const REFUSED_DATABASE = /^(ERR|NOPERM)\b/;

/**
 * Checks that the connection uses the database of its URL. When Redis refuses that, ioredis stays on database 0 and only emits an error.
 * @throws RedisDatabaseError; the error of the connection
 */
export async function assertDatabase(redis: RedisConnection): Promise<void> {
  // A cluster has one database.
  if (redis.isCluster) return;
  const database = (redis as Redis).options.db ?? 0;
  if (database === 0) return;
  try {
    await redis.select(database);
  } catch (error) {
    if (!(error instanceof ReplyError) || !REFUSED_DATABASE.test((error as Error).message)) throw error;
    throw new RedisDatabaseError(String(database), (error as Error).message, { cause: error });
  }
}
