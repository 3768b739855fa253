import {
  reportConfigReloads,
  FaultReporter,
  GatewayAccessMonitor,
  operationsWebhookTargets,
} from '@ssb/faults';
import { Module, type DynamicModule } from '@nestjs/common';
import type { GatewayClient } from '@ssb/bus';
import type { ClientConnection } from '@ssb/net';
import {
  AgreedClock,
  ClockMonitor,
  GATEWAY_CONNECTION,
  gatewayConnectionProvider,
  Liveness,
  LOGGER,
  Metrics,
  outgoingConnectionProviders,
  Readiness,
  WEBHOOK_CONNECTION,
  type Logger,
} from '@ssb/platform';
import {
  QueueFaultReporting,
  reportUnavailableQueue,
  openDeadLetters,
  openEventQueue,
  type EventQueue,
  UNVERIFIED_LETTER_LIMITS,
  checkDurability,
  connectRedis,
  type RedisConnection,
} from '@ssb/redis-queue';
import { createClock, type PublisherClock } from './clock.js';
import { removedLettersFault } from './domain/dead-letter-fault.js';
import { createGatewayAccess, createGatewayClient, gatewayOptions } from './gateway.js';
import { observePublisherKeys, openKeys, OriginKeys } from './keys.js';
import { PublisherMetrics } from './publisher-metrics.js';
import { EventPublisher } from './publish.js';
import { PublisherLifecycle, writableKey } from './publisher.lifecycle.js';
import { openConfig, type Settings } from './settings.js';

const REDIS = Symbol('REDIS');
const QUEUE = Symbol('QUEUE');
const GATEWAY = Symbol('GATEWAY');
const INTEGRITY_KEYS = Symbol('INTEGRITY_KEYS');
const KEY_METRICS = Symbol('KEY_METRICS');
const CONFIG_RELOADS = Symbol('CONFIG_RELOADS');

/** Readiness reports first; a restart is the last resort. */
const RESTART_FACTOR = 5;

@Module({})
export class PublisherModule {
  /** Reads every file before anything is connected. @throws OperatorConfigError, ConfigurationError */
  static async register(settings: Settings, log: Logger): Promise<DynamicModule> {
    const config = await openConfig(settings, log);
    const keys = await openKeys(settings, log);
    return {
      module: PublisherModule,
      providers: [
        PublisherMetrics,
        {
          provide: KEY_METRICS,
          inject: [Metrics],
          useFactory: (metrics: Metrics) => observePublisherKeys(metrics, keys),
        },
        {
          provide: CONFIG_RELOADS,
          inject: [Metrics, FaultReporter, GatewayAccessMonitor],
          useFactory: (metrics: Metrics, faults: FaultReporter, access: GatewayAccessMonitor) => {
            reportConfigReloads(config, { metrics, faults });
            config.observe({ onApplied: () => access.requirementsChanged() });
          },
        },
        ...outgoingConnectionProviders('publisher', settings, operationsWebhookTargets(settings)),
        gatewayConnectionProvider(settings),
        {
          provide: REDIS,
          inject: [LOGGER, WEBHOOK_CONNECTION, GATEWAY_CONNECTION],
          useFactory: (log: Logger, webhook: ClientConnection) => connectToRedis(settings, log, webhook),
        },
        {
          provide: QUEUE,
          inject: [REDIS],
          useFactory: (redis: RedisConnection) =>
            openEventQueue({ redis, prefix: settings.QUEUE_PREFIX, keys: keys.integrity }),
        },
        { provide: INTEGRITY_KEYS, useValue: keys.integrity },
        ...QueueFaultReporting.providers('bus-publisher', settings, {
          redis: REDIS,
          queue: QUEUE,
          integrityKeys: INTEGRITY_KEYS,
        }),
        {
          provide: ClockMonitor,
          inject: [FaultReporter, Metrics, LOGGER],
          useFactory: (faults: FaultReporter, metrics: Metrics, log: Logger) =>
            createClock(settings, { faults, metrics, log }),
        },
        {
          provide: GatewayAccessMonitor,
          inject: [GATEWAY_CONNECTION, FaultReporter, ClockMonitor],
          useFactory: (connection: ClientConnection, faults: FaultReporter, clock: PublisherClock) =>
            createGatewayAccess(
              gatewayOptions(settings, connection, keys.gatewayPassword, clock),
              settings,
              config,
              faults,
            ),
        },
        {
          provide: GATEWAY,
          inject: [GATEWAY_CONNECTION, GatewayAccessMonitor, ClockMonitor],
          useFactory: (connection: ClientConnection, access: GatewayAccessMonitor, clock: PublisherClock) =>
            createGatewayClient(
              gatewayOptions(settings, connection, keys.gatewayPassword, clock),
              settings,
              access,
            ),
        },
        {
          provide: EventPublisher,
          inject: [GATEWAY, QueueFaultReporting, ClockMonitor, PublisherMetrics, LOGGER],
          useFactory: (
            gateway: GatewayClient,
            { reporter: faults, webhook: operationsWebhook }: QueueFaultReporting,
            clock: PublisherClock,
            metrics: PublisherMetrics,
            log: Logger,
          ) => {
            const agreedClock = new AgreedClock(clock);
            return new EventPublisher({
              config,
              originKeys: new OriginKeys(keys.origin),
              transactionIdKeys: keys.transactionIds,
              gateway,
              faults,
              now: () => agreedClock.now(),
              operationsWebhook,
              metrics,
              log,
            });
          },
        },
        {
          provide: PublisherLifecycle,
          inject: [
            REDIS,
            QUEUE,
            GATEWAY,
            GatewayAccessMonitor,
            ClockMonitor,
            EventPublisher,
            QueueFaultReporting,
            PublisherMetrics,
            Readiness,
            Liveness,
            LOGGER,
          ],
          useFactory: (
            redis: RedisConnection,
            queue: EventQueue,
            gateway: GatewayClient,
            gatewayAccess: GatewayAccessMonitor,
            clock: PublisherClock,
            publisher: EventPublisher,
            faultReporting: QueueFaultReporting,
            metrics: PublisherMetrics,
            readiness: Readiness,
            liveness: Liveness,
            log: Logger,
          ) =>
            new PublisherLifecycle({
              redis,
              queue,
              gateway,
              gatewayAccess,
              clock,
              publisher,
              faultReporting,
              metrics,
              readiness,
              liveness,
              log,
              integrityKeys: keys.integrity,
              config,
              watchedFiles: [keys.origin, keys.integrity, keys.transactionIds, keys.gatewayPassword],
              deadLetters: openDeadLetters({
                redis,
                prefix: settings.QUEUE_PREFIX,
                keys: keys.integrity,
                onEvicted: reportRemovedLetters(faultReporting, metrics, log),
              }),
              prefix: settings.QUEUE_PREFIX,
              concurrency: settings.CONCURRENCY,
              // Not more often than the channels are listed.
              checkIntervalMs: 2 * settings.GATEWAY_CHECK_INTERVAL_MS,
              stuckAfterMs: settings.STUCK_AFTER_MS,
              restartAfterMs: RESTART_FACTOR * settings.STUCK_AFTER_MS + 2 * settings.GATEWAY_TIMEOUT_MS,
            }),
        },
      ],
    };
  }
}

async function connectToRedis(
  settings: Settings,
  log: Logger,
  webhook: ClientConnection,
): Promise<RedisConnection> {
  const redis = connectRedis(settings, {
    name: 'bus-publisher',
    // A BullMQ worker waits for Redis without a limit.
    blocking: true,
    onError: (error) => log.warn({ err: error }, 'Redis connection failed'),
  });
  const production = settings.NODE_ENV === 'production';
  const warnings = await reportUnavailableQueue(
    'bus-publisher',
    settings,
    log,
    () => checkDurability(redis, { production, writableKey: writableKey(settings.QUEUE_PREFIX) }),
    webhook,
  );
  for (const warning of warnings) log.warn({ reason: warning }, 'Redis configuration unsafe');
  return redis;
}

function reportRemovedLetters(
  { reporter }: QueueFaultReporting,
  { evictedRefusedJobs }: PublisherMetrics,
  log: Logger,
): (count: number) => void {
  let removed = 0;
  return (count) => {
    removed += count;
    evictedRefusedJobs.inc(count);
    log.error({ count }, 'unverified dead letters removed');
    reporter.raise(removedLettersFault(removed, UNVERIFIED_LETTER_LIMITS));
  };
}
