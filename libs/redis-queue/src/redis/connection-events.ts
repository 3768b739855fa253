import { findMasterAddress, type RedisConnection } from './servers.js';

/** Calls the listener with each error of the connection, or of a connection to a node. @returns a function that removes the listener */
export function onConnectionError(redis: RedisConnection, listener: (error: Error) => void): () => void {
  const onError = (error: Error): void => listener(toSentinelsError(lastNodeError(error)));
  redis.on('error', onError);
  redis.on('node error', listener);
  return () => {
    redis.off('error', onError);
    redis.off('node error', listener);
  };
}

/** When no node of a cluster responds, ioredis hides why. */
function lastNodeError(error: Error & { lastNodeError?: Error | null }): Error {
  return error.lastNodeError ?? error;
}

/** No Sentinel names the master. The message is the response of the last one. */
export class SentinelsError extends Error {
  override readonly name = 'SentinelsError';
}

/** The text of ioredis contains a random delay, so each one would be another message. */
const SENTINELS_UNREACHABLE = /^All sentinels are unreachable.*?(?: Last error: (?<reason>.*))?$/s;

function toSentinelsError(error: Error): Error {
  const match = SENTINELS_UNREACHABLE.exec(error.message);
  return match ? new SentinelsError(match.groups?.['reason'] ?? 'no response', { cause: error }) : error;
}

/** Losses of each connection. One listener counts for all that watch it. */
const losses = new WeakMap<RedisConnection, { count: number }>();

function lossesOf(redis: RedisConnection): { readonly count: number } {
  let known = losses.get(redis);
  if (known === undefined) {
    const counted = { count: 0 };
    losses.set(redis, counted);
    for (const event of ['close', '-node']) redis.on(event, () => (counted.count += 1));
    known = counted;
  }
  return known;
}

/**
 * Detects that commands for a key may lead to another server than before, which may hold earlier values.
 * @returns a function whose result changes with the server
 */
export function watchServer(redis: RedisConnection, key: string): () => number {
  const connection = lossesOf(redis);
  let moves = 0;
  let master = findMasterAddress(redis, key);
  return () => {
    // The connection to a master that lost the slot can stay open. ioredis notes the new one before it repeats a command there.
    const current = findMasterAddress(redis, key);
    if (current !== master) moves += 1;
    master = current;
    return connection.count + moves;
  };
}
