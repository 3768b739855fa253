import type { ClientConnection } from '@ssb/net';
import type { Logger, Readiness } from '@ssb/platform';
import {
  assertWritableRedis,
  checkDurability,
  connectRedis,
  reportUnavailableQueue,
  type RedisConnection,
} from '@ssb/redis-queue';
import type { Settings } from './settings.js';
import { sharedPollerKeys } from './state/poller-keys.js';

/** Injects the `RedisConnection`. */
export const REDIS = Symbol('REDIS');
/** Injects the `EventQueue`. */
export const QUEUE = Symbol('QUEUE');
/** Injects the `KeyRingFile` of INTEGRITY_KEYS_FILE. */
export const INTEGRITY_KEYS = Symbol('INTEGRITY_KEYS');

/** @throws Error when Redis would lose data in production */
export async function connectToRedis(
  settings: Settings,
  log: Logger,
  readiness: Readiness,
  webhook: ClientConnection,
): Promise<RedisConnection> {
  const { writable: writableKey } = sharedPollerKeys(settings.QUEUE_PREFIX);
  const redis = connectRedis(settings, {
    name: 'poller',
    onError: (error) => log.warn({ err: error }, 'Redis connection failed'),
  });
  readiness.register('redis', () => assertWritableRedis(redis, writableKey));
  const production = settings.NODE_ENV === 'production';
  const warnings = await reportUnavailableQueue(
    'poller',
    settings,
    log,
    () => checkDurability(redis, { production, writableKey }),
    webhook,
  );
  for (const warning of warnings) log.warn({ reason: warning }, 'Redis configuration unsafe');
  return redis;
}
