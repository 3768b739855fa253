import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Provider } from '@nestjs/common';
import { KeyRingFile, observeKeys } from '@ssb/keys';
import type { ClientConnection } from '@ssb/net';
import { LOGGER, Metrics, Readiness, WEBHOOK_CONNECTION, type Logger } from '@ssb/platform';
import {
  assertWritableRedis,
  checkDurability,
  connectRedis,
  openEventQueue,
  RecordStore,
  reportUnavailableQueue,
  type RedisConnection,
} from '@ssb/redis-queue';
import { FailureLog } from './faults/failure-log.js';
import { Replicas } from './lease/replicas.js';
import type { Settings } from './settings.js';
import { sharedPollerKeys } from './state/poller-keys.js';

/** Injects the `RedisConnection`. */
export const REDIS = Symbol('REDIS');
/** Injects the `EventQueue`. */
export const QUEUE = Symbol('QUEUE');
/** Injects the `KeyRingFile` of INTEGRITY_KEYS_FILE. */
export const INTEGRITY_KEYS = Symbol('INTEGRITY_KEYS');

/** Redis, and what is stored in it for all participants: queue, registered replicas and full records. */
export function redisProviders(settings: Settings): Provider[] {
  const { QUEUE_PREFIX: prefix, LEASE_TTL_MS: ttlMs } = settings;
  const keys = sharedPollerKeys(prefix);
  return [
    {
      provide: REDIS,
      inject: [LOGGER, Readiness, WEBHOOK_CONNECTION],
      useFactory: (log: Logger, readiness: Readiness, webhook: ClientConnection) =>
        connectToRedis(settings, log, readiness, webhook),
    },
    {
      provide: INTEGRITY_KEYS,
      inject: [LOGGER, Metrics],
      useFactory: async (log: Logger, metrics: Metrics) => {
        const { INTEGRITY_KEYS_FILE: path, KEYS_RELOAD_INTERVAL_MS: intervalMs } = settings;
        const integrity = await KeyRingFile.open({ path, intervalMs, log });
        observeKeys(metrics, { integrity });
        return integrity;
      },
    },
    {
      provide: QUEUE,
      inject: [REDIS, INTEGRITY_KEYS],
      useFactory: (redis: RedisConnection, integrityKeys: KeyRingFile) =>
        openEventQueue({ redis, prefix, keys: integrityKeys }),
    },
    {
      provide: Replicas,
      inject: [REDIS, LOGGER],
      useFactory: (redis: RedisConnection, log: Logger) => {
        const failures = new FailureLog(log);
        return new Replicas({
          redis,
          key: keys.replicas,
          settingsKey: keys.replicaSettings,
          holder: `${hostname()}:${process.pid}:${randomUUID()}`,
          ttlMs,
          intervalMs: ttlMs * 0.3,
          onSuccess: () => failures.succeeded('replicas'),
          onError: (error) => failures.failed('replicas', error),
        });
      },
    },
    {
      provide: RecordStore,
      inject: [REDIS],
      useFactory: (redis: RedisConnection) =>
        new RecordStore({
          redis,
          prefix,
          maxBytes: settings.RECORD_STORE_MAX_BYTES,
          maxAgeDays: settings.RECORD_STORE_MAX_AGE_DAYS,
        }),
    },
  ];
}

/** @throws Error when Redis would lose data in production */
async function connectToRedis(
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
