import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Provider } from '@nestjs/common';
import { KeyRingFile, observeKeys } from '@ssb/keys';
import {
  QueueFaultReporting,
  reportUnavailableQueue,
  openEventQueue,
  RecordStore,
  checkDurability,
  connectRedis,
  assertWritableRedis,
  type RedisConnection,
} from '@ssb/redis-queue';
import { LOGGER, Metrics, Readiness, type Logger, WEBHOOK_CONNECTION } from '@ssb/platform';
import type { ClientConnection } from '@ssb/net';
import { FailureLog } from '../failure-log.js';
import { Replicas } from '../lease/replicas.js';
import { PollerMetrics } from '../poller-metrics.js';
import { RecordRetention } from '../records/record-retention.js';
import type { Settings } from '../settings.js';
import { sharedPollerKeys } from '../state/poller-keys.js';

export const REDIS = Symbol('REDIS');
export const QUEUE = Symbol('QUEUE');
/** Unique name of this replica. */
export const HOLDER = Symbol('HOLDER');
export const INTEGRITY_KEYS = Symbol('INTEGRITY_KEYS');

/** Redis, and everything that is stored in it: queue, faults, state, lease and records. */
export function redisProviders(settings: Settings): Provider[] {
  const keys = sharedPollerKeys(settings.QUEUE_PREFIX);
  return [
    { provide: HOLDER, useFactory: () => `${hostname()}:${process.pid}:${randomUUID()}` },
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
      provide: REDIS,
      inject: [LOGGER, Readiness, WEBHOOK_CONNECTION],
      useFactory: (log: Logger, readiness: Readiness, webhook: ClientConnection) =>
        connectToRedis(settings, keys.writable, log, readiness, webhook),
    },
    {
      provide: QUEUE,
      inject: [REDIS, INTEGRITY_KEYS],
      useFactory: (redis: RedisConnection, integrityKeys: KeyRingFile) =>
        openEventQueue({ redis, prefix: settings.QUEUE_PREFIX, keys: integrityKeys }),
    },
    ...QueueFaultReporting.providers('poller', settings, {
      redis: REDIS,
      queue: QUEUE,
      integrityKeys: INTEGRITY_KEYS,
    }),
    {
      provide: Replicas,
      inject: [REDIS, HOLDER, LOGGER],
      useFactory: (redis: RedisConnection, holder: string, log: Logger) => {
        const failures = new FailureLog(log);
        return new Replicas({
          redis,
          key: keys.replicas,
          settingsKey: keys.replicaSettings,
          holder,
          ttlMs: settings.LEASE_TTL_MS,
          intervalMs: settings.LEASE_TTL_MS * 0.3,
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
          prefix: settings.QUEUE_PREFIX,
          maxBytes: settings.RECORD_STORE_MAX_BYTES,
          maxAgeDays: settings.RECORD_STORE_MAX_AGE_DAYS,
        }),
    },
    {
      provide: RecordRetention,
      inject: [RecordStore, PollerMetrics, LOGGER],
      useFactory: (store: RecordStore, metrics: PollerMetrics, log: Logger) =>
        new RecordRetention({ store, metrics, log }),
    },
  ];
}

async function connectToRedis(
  settings: Settings,
  writableKey: string,
  log: Logger,
  readiness: Readiness,
  webhook: ClientConnection,
): Promise<RedisConnection> {
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
