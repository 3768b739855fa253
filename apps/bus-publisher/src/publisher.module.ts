import { Module, type DynamicModule } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { GatewayClient, type GatewayClientOptions } from '@ssb/bus';
import { ClockMonitor } from '@ssb/clock';
import { parsePrivateKey, type PrivateKey } from '@ssb/identity';
import {
  FaultReporter,
  GatewayAccessMonitor,
  QueueFaultReporting,
  reportUnavailableQueue,
} from '@ssb/operational-alerts';
import { listChannels, type OperatorConfig } from '@ssb/operator-config';
import {
  Degradations,
  LOGGER,
  Metrics,
  parseConfiguredFile,
  readCaFile,
  readEncryptedFile,
  Readiness,
  readSecretFile,
  type Logger,
} from '@ssb/platform';
import { openDeadLetters, openEventQueue, type EventQueue } from '@ssb/queue';
import { checkDurability, connectRedis } from '@ssb/redis';
import { createClock, type PublisherClock } from './clock.js';
import { PublisherMetrics } from './publisher-metrics.js';
import { EventPublisher } from './publish.js';
import { PublisherLifecycle } from './publisher.lifecycle.js';
import { readOperatorConfig, type Settings } from './settings.js';

const REDIS = Symbol('REDIS');
const QUEUE = Symbol('QUEUE');
const GATEWAY = Symbol('GATEWAY');

@Module({})
export class PublisherModule {
  /** Reads every file before anything is connected. @throws OperatorConfigError, ConfigurationError */
  static async register(settings: Settings, log: Logger): Promise<DynamicModule> {
    const config = readOperatorConfig(settings, log);
    const originKey = await readOriginKey(settings);
    const gatewayOptions = readGatewayOptions(settings);
    return {
      module: PublisherModule,
      providers: [
        PublisherMetrics,
        {
          provide: REDIS,
          inject: [LOGGER],
          useFactory: (log: Logger) => connectToRedis(settings, log),
        },
        {
          provide: QUEUE,
          inject: [REDIS],
          useFactory: (redis: Redis) => openEventQueue(redis, settings.QUEUE_PREFIX),
        },
        {
          provide: QueueFaultReporting,
          inject: [REDIS, QUEUE, Degradations, Metrics, LOGGER],
          useFactory: (
            redis: Redis,
            queue: EventQueue,
            degradations: Degradations,
            metrics: Metrics,
            log: Logger,
          ) =>
            new QueueFaultReporting({
              app: 'bus-publisher',
              settings,
              redis,
              queue,
              degradations,
              metrics,
              log,
            }),
        },
        {
          provide: FaultReporter,
          inject: [QueueFaultReporting],
          useFactory: ({ reporter }: QueueFaultReporting) => reporter,
        },
        {
          provide: ClockMonitor,
          inject: [FaultReporter, Metrics, LOGGER],
          useFactory: (faults: FaultReporter, metrics: Metrics, log: Logger) =>
            createClock(settings, { faults, metrics, log }),
        },
        {
          provide: GatewayAccessMonitor,
          inject: [FaultReporter, ClockMonitor],
          useFactory: (faults: FaultReporter, clock: PublisherClock) =>
            createGatewayAccess({ ...gatewayOptions, ...observing(clock) }, settings, config, faults),
        },
        {
          provide: GATEWAY,
          inject: [GatewayAccessMonitor, ClockMonitor],
          useFactory: (access: GatewayAccessMonitor, clock: PublisherClock) =>
            createGatewayClient({ ...gatewayOptions, ...observing(clock) }, settings, access),
        },
        {
          provide: EventPublisher,
          inject: [GATEWAY, QueueFaultReporting, PublisherMetrics, LOGGER],
          useFactory: (
            gateway: GatewayClient,
            { reporter: faults, webhook: operationsWebhook }: QueueFaultReporting,
            metrics: PublisherMetrics,
            log: Logger,
          ) => new EventPublisher({ config, originKey, gateway, faults, operationsWebhook, metrics, log }),
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
            LOGGER,
          ],
          useFactory: (
            redis: Redis,
            queue: EventQueue,
            gateway: GatewayClient,
            gatewayAccess: GatewayAccessMonitor,
            clock: PublisherClock,
            publisher: EventPublisher,
            faultReporting: QueueFaultReporting,
            metrics: PublisherMetrics,
            readiness: Readiness,
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
              log,
              deadLetters: openDeadLetters(redis, settings.QUEUE_PREFIX),
              prefix: settings.QUEUE_PREFIX,
              concurrency: settings.CONCURRENCY,
              stuckAfterMs: settings.STUCK_AFTER_MS,
            }),
        },
      ],
    };
  }
}

/** The private key with which the bridge signs the origin of each event. */
async function readOriginKey(settings: Settings): Promise<PrivateKey> {
  const secret = await readSecretFile(settings.ORIGIN_KEY_SECRET_FILE);
  const content = await readEncryptedFile(settings.ORIGIN_KEY_FILE, secret);
  return parseConfiguredFile(settings.ORIGIN_KEY_FILE, () =>
    parsePrivateKey(content.toString('utf8').trim()),
  );
}

function createGatewayAccess(
  gateway: GatewayOptions,
  settings: Settings,
  config: OperatorConfig,
  faults: FaultReporter,
): GatewayAccessMonitor {
  return new GatewayAccessMonitor({
    gateway,
    required: { channels: listChannels(config), permission: 'publish' },
    intervalMs: settings.GATEWAY_CHECK_INTERVAL_MS,
    faults,
  });
}

/** The gateway's access is checked again soon after a failed request. */
function createGatewayClient(
  gateway: GatewayOptions,
  settings: Settings,
  access: GatewayAccessMonitor,
): GatewayClient {
  return new GatewayClient({
    ...gateway,
    timeoutMs: settings.GATEWAY_TIMEOUT_MS,
    connections: settings.CONCURRENCY,
    onFailure: (error) => access.reportFailure(error),
  });
}

/** Every answer of the gateway shows its clock. */
function observing(clock: PublisherClock): Pick<GatewayClientOptions, 'onClockReading'> {
  return { onClockReading: (reading) => clock.observe('gateway', reading) };
}

type GatewayOptions = Omit<GatewayClientOptions, 'timeoutMs'>;

function readGatewayOptions(settings: Settings): GatewayOptions {
  const caFile = settings.GATEWAY_CA_FILE;
  return {
    baseUrl: settings.GATEWAY_URL,
    username: settings.GATEWAY_USERNAME,
    password: settings.GATEWAY_PASSWORD,
    ...(caFile !== undefined && { ca: readCaFile(caFile) }),
  };
}

async function connectToRedis(settings: Settings, log: Logger): Promise<Redis> {
  const redis = connectRedis(settings.REDIS_URL, {
    name: 'bus-publisher',
    // A BullMQ worker waits for Redis without a limit.
    blocking: true,
    onError: (error) => log.warn({ err: error }, 'Redis connection failed'),
  });
  const production = settings.NODE_ENV === 'production';
  const warnings = await reportUnavailableQueue('bus-publisher', settings, log, () =>
    checkDurability(redis, { production }),
  );
  for (const warning of warnings) log.warn({ reason: warning }, 'Redis configuration unsafe');
  return redis;
}
