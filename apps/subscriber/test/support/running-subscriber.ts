import { NestFactory } from '@nestjs/core';
import { loadOperatorConfig, OperatorConfigFile, type OperatorConfig } from '@ssb/config';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClientConnection } from '@ssb/net';
import { Database } from '@ssb/postgres';
import {
  createLogger,
  Degradations,
  GATEWAY_CONNECTION,
  Liveness,
  LOGGER,
  Metrics,
  OutgoingConnections,
  readSettings,
  Readiness,
  SETTINGS,
  WEBHOOK_CONNECTION,
  type Degradation,
  type ReadinessReport,
} from '@ssb/platform';
import { SCHEMA } from '@ssb/postgres/archive-schema';
import { DATABASE, LEASE_DATABASE } from '../../src/database/database-options.js';
import { definition, type Settings } from '../../src/settings.js';
import { SUBSCRIBER_LIMITS, type SubscriberLimits } from '../../src/configuration/subscriber-limits.js';
import { SubscriberModule } from '../../src/subscriber.module.js';
import { PASSWORD, USERNAME } from './fake-gateway.js';
import { CHANNEL, gatewayDid, originDid } from '@ssb/testing/signed-messages';

export const WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

export interface TestEnvironment {
  readonly folder: string;
  readonly variables: Record<string, string>;
  remove(): void;
}

export interface ConfigurationChange {
  /** Trusted bridges instead of the one that signs. */
  readonly origins?: readonly string[];
  /** Entries of `senders` that name participants, instead of `origins`. Their participants are configured as well. */
  readonly trust?: readonly {
    readonly origins: readonly string[];
    readonly participants: readonly string[];
  }[];
  /** Undefined: the time at which the subscriber first sees the participant. */
  readonly alertsSince?: string | undefined;
  /** Channels that are read. */
  readonly channels?: readonly string[];
  /** Channels with trusted senders. Default: `channels`. */
  readonly senderChannels?: readonly string[];
  /** Address of the webhook, instead of the given one. */
  readonly webhookUrl?: string;
  /** Of the margin. */
  readonly warning?: string;
  /** Event types that the webhook receives. */
  readonly webhookTypes?: readonly string[];
}

/** A folder with a configuration file (JSON is YAML) and the environment variables of a subscriber that uses it. */
export function createTestEnvironment(
  gatewayUrl: string,
  webhookUrl: string,
  change: ConfigurationChange = {},
): TestEnvironment {
  const { origins, trust, alertsSince, webhookTypes, channels, senderChannels, warning } = {
    origins: [originDid],
    alertsSince: '2020-01-01T00:00:00Z',
    webhookTypes: ['settlementbus.margin.breached.*'],
    channels: [CHANNEL],
    warning: '250000.00',
    ...change,
  };
  const folder = mkdtempSync(join(tmpdir(), 'subscriber-'));
  const codes = trust?.flatMap(({ participants }) => participants) ?? ['WPGENCO'];
  const config = {
    participants: codes.map((code) => ({
      code,
      alertsSince,
      margin: { warning, breach: '0.00', hysteresis: '25000.00' },
    })),
    routes: channels.map((channel, at) => ({
      types: [at === 0 ? 'settlementbus.margin.*' : 'settlementbus.*'],
      channel,
    })),
    senders: (senderChannels ?? channels).flatMap((channel) =>
      (trust ?? [{ origins }]).map((entry) => ({ channel, gateways: [gatewayDid], ...entry })),
    ),
    alerts: {
      unattended: true,
      sinks: [
        { name: 'log', kind: 'log' },
        { name: 'treasury', kind: 'webhook', url: change.webhookUrl ?? webhookUrl, secret: WEBHOOK_SECRET },
      ],
      rules: [
        { types: webhookTypes, sinks: ['log', 'treasury'] },
        { types: ['settlementbus.*'], sinks: ['log'] },
      ],
    },
  };
  writeFileSync(join(folder, 'bridge.yaml'), JSON.stringify(config));
  return {
    folder,
    variables: {
      PORT: '0',
      DATABASE_URL: 'postgres://the-test-opens-it',
      GATEWAY_URL: gatewayUrl,
      GATEWAY_USERNAME: USERNAME,
      GATEWAY_PASSWORD: PASSWORD,
      GATEWAY_CHECK_INTERVAL_MS: '500',
      CONFIG_FILE: join(folder, 'bridge.yaml'),
      ALERT_RETRY_BASE_MS: '20',
      ALERT_RETRY_CAP_MS: '40',
      SHUTDOWN_TIMEOUT_MS: '4000',
      // On a busy machine a shorter lease ends in the middle of a test.
      LEASE_TTL_MS: '20000',
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** A subscriber with a real stream client, database and sinks. */
export interface RunningSubscriber {
  readonly lines: Record<string, unknown>[];
  metrics(): Promise<string>;
  ready(): Promise<ReadinessReport>;
  /** The faults in `/health`. */
  live(): ReturnType<Liveness['report']>;
  faults(): readonly Degradation[];
  /** Applies the configuration file of another environment. */
  reconfigure(environment: TestEnvironment): Promise<void>;
  stop(): Promise<void>;
}

type ConfigListener = Parameters<OperatorConfigFile['onChange']>[0];

/** CONFIG_FILE as a test changes it. */
class ChangedConfig {
  private listener: ConfigListener = () => undefined;

  constructor(private readonly config: OperatorConfig) {}

  current(): OperatorConfig {
    return this.config;
  }

  onChange(listener: ConfigListener): void {
    this.listener = listener;
  }

  async change(config: OperatorConfig): Promise<void> {
    await this.listener(config);
  }

  observe(): void {}

  watch(): void {}

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** Starts the providers of the app without its HTTP server. */
export async function startSubscriber(
  environment: TestEnvironment,
  databaseUrl: string,
  {
    gatewayConnection = {},
    webhookConnection = {},
    ...limits
  }: SubscriberLimits & {
    readonly gatewayConnection?: ClientConnection;
    readonly webhookConnection?: ClientConnection;
  } = {},
): Promise<RunningSubscriber> {
  const settings: Settings = readSettings(definition, environment.variables);
  const lines: Record<string, unknown>[] = [];
  const stream = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) };
  const log = createLogger({ name: 'subscriber', level: 'debug', format: 'json', stream });
  const config = new ChangedConfig(loadOperatorConfig(settings.CONFIG_FILE, {}));
  const metrics = new Metrics();
  const readiness = new Readiness();
  const liveness = new Liveness(log);
  const degradations = new Degradations();
  // Fewer than by default: to open one takes more processor time than the statements of most tests.
  const options = { url: databaseUrl, schema: SCHEMA, connections: 4 };
  const { providers = [] } = await SubscriberModule.register(settings, log);
  const app = await NestFactory.createApplicationContext(
    {
      module: SubscriberModule,
      providers: [
        ...providers,
        { provide: SETTINGS, useValue: settings },
        { provide: LOGGER, useValue: log },
        { provide: Metrics, useValue: metrics },
        { provide: Readiness, useValue: readiness },
        { provide: Liveness, useValue: liveness },
        { provide: Degradations, useValue: degradations },
        { provide: OperatorConfigFile, useValue: config },
        { provide: OutgoingConnections, useValue: { assertAllowedWebhooks: () => undefined } },
        { provide: GATEWAY_CONNECTION, useValue: gatewayConnection },
        { provide: WEBHOOK_CONNECTION, useValue: webhookConnection },
        { provide: DATABASE, useFactory: () => new Database(options) },
        { provide: LEASE_DATABASE, useFactory: () => new Database({ ...options, connections: 2 }) },
        { provide: SUBSCRIBER_LIMITS, useValue: limits },
      ],
    },
    { logger: false, abortOnError: false },
  );
  return {
    lines,
    metrics: () => metrics.registry.metrics(),
    ready: () => readiness.report(),
    live: () => liveness.report(),
    faults: () => degradations.list(),
    reconfigure: ({ variables }) => config.change(loadOperatorConfig(variables['CONFIG_FILE'] ?? '', {})),
    stop: () => app.close(),
  };
}
