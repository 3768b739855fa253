import { GatewayClient } from '@ssb/bus';
import { freePort } from '@ssb/dev/free-ports';
import { didOfKey, generatePrivateKey } from '@ssb/identity';
import { startTestNats, startTestRedis, type TestNats, type TestRedis, type TestServer } from '@ssb/testing';
import {
  AppProcess,
  BROKER_AUDIENCE,
  BrokerAdmin,
  enrolGateway,
  GATEWAY_USER,
  SecretsFolder,
} from '@ssb/tools';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { APP_RUNTIME } from './app-runtime.js';

/** Redis Streams, or NATS JetStream with file storage. */
export type BusEngine = 'redis' | 'nats';

export interface BusOptions {
  /** Broker replicas on one engine. Default 1. */
  readonly brokers?: number;
  /** Names of the gateways, which are assigned to the brokers in turn. */
  readonly gateways: readonly string[];
  /** Storage of messages, by default Redis Streams. Channels, roles and sessions are always in Redis. */
  readonly engine?: BusEngine;
  /** Additional settings of every broker. */
  readonly brokerSettings?: Readonly<Record<string, string>>;
  /** Whether the gateways get an identity and are enrolled. Default true. */
  readonly enrolled?: boolean;
  /** A Redis that the caller stops. If omitted, the bus starts one. */
  readonly redis?: TestRedis;
}

export interface BusGateway {
  readonly name: string;
  readonly url: string;
  readonly password: string;
  /** Empty when it is not enrolled. */
  readonly did: string;
  readonly process: AppProcess;
}

/** The message bus without market and bridge: brokers and enrolled gateways as processes, in a temporary folder. */
export class RunningBus {
  readonly brokers: AppProcess[] = [];
  readonly gateways: BusGateway[] = [];
  /** Key of the role issuer, who also creates channels. */
  readonly issuerKey = generatePrivateKey();
  readonly secrets: SecretsFolder;
  readonly brokerUrls: string[] = [];

  private constructor(
    readonly options: BusOptions,
    readonly folder: string,
    readonly redis: TestRedis,
    private readonly nats: TestNats | undefined,
  ) {
    this.secrets = new SecretsFolder(join(folder, 'secrets'));
  }

  static async start(options: BusOptions): Promise<RunningBus> {
    const folder = mkdtempSync(join(tmpdir(), 'settlement-bus-bridge-bus-'));
    const redis = options.redis ?? (await startTestRedis());
    const nats = options.engine === 'nats' ? await startTestNats() : undefined;
    const bus = new RunningBus(options, folder, redis, nats);
    try {
      for (let number = 0; number < (options.brokers ?? 1); number += 1) await bus.startBroker(number);
      for (const [number, name] of options.gateways.entries()) await bus.startGateway(number, name);
      return bus;
    } catch (error) {
      await bus.stop();
      throw error;
    }
  }

  /** A client of the first broker with the key of the role issuer, who also creates channels. */
  get admin(): BrokerAdmin {
    return new BrokerAdmin({ baseUrl: this.brokerUrls[0] ?? '', key: this.issuerKey });
  }

  /** The server that stores the messages. */
  get engine(): TestServer {
    return this.nats ?? this.redis;
  }

  /** @throws RangeError if the bus has no such gateway */
  gateway(name: string): BusGateway {
    const gateway = this.gateways.find((each) => each.name === name);
    if (gateway === undefined) throw new RangeError(`this bus has no gateway ${name}`);
    return gateway;
  }

  /** An authenticated client of the gateway. The caller closes it. */
  createClient(name: string, connections = 8): GatewayClient {
    return createGatewayClient(this.gateway(name), connections);
  }

  async stop(): Promise<void> {
    await Promise.all(this.gateways.map(({ process }) => process.stop()));
    await Promise.all(this.brokers.map((broker) => broker.stop()));
    await this.nats?.stop();
    if (this.options.redis === undefined) await this.redis.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async startBroker(number: number): Promise<void> {
    const port = await freePort();
    const issuer = didOfKey(this.issuerKey);
    const broker = new AppProcess({
      name: `broker-${number}`,
      app: 'broker',
      logFolder: join(this.folder, 'logs'),
      environment: {
        ...APP_RUNTIME,
        PORT: String(port),
        MANAGEMENT_PORT: '0',
        REDIS_URL: this.redis.url,
        BROKER_AUDIENCE,
        TOKEN_SECRET_FILE: this.secrets.ensureFile('broker-token.secret'),
        // All replicas of a broker share one identity.
        IDENTITY_KEY_FILE: join(this.folder, 'broker.key'),
        IDENTITY_SECRET_FILE: this.secrets.ensureFile('encryption.secret'),
        ROLE_ISSUERS: issuer,
        CHANNEL_CREATORS: issuer,
        ...(this.nats && { LOG_ENGINE: 'nats', NATS_URL: this.nats.url }),
        ...this.options.brokerSettings,
      },
    });
    this.brokers.push(broker);
    this.brokerUrls.push(`http://127.0.0.1:${port}`);
    await broker.start();
  }

  private async startGateway(number: number, name: string): Promise<void> {
    const port = await freePort();
    const password = this.secrets.value(`${name}.password`);
    const process = new AppProcess({
      name,
      app: 'gateway',
      logFolder: join(this.folder, 'logs'),
      environment: {
        ...APP_RUNTIME,
        PORT: String(port),
        MANAGEMENT_PORT: '0',
        BASIC_AUTH_USERNAME: GATEWAY_USER,
        BASIC_AUTH_PASSWORD: password,
        DATA_DIR: join(this.folder, name),
        IDENTITY_SECRET_FILE: this.secrets.ensureFile('encryption.secret'),
        BROKER_URL: this.brokerUrls[number % this.brokerUrls.length] ?? '',
        BROKER_AUDIENCE,
      },
    });
    const gateway = { name, url: `http://127.0.0.1:${port}`, password, process };
    await process.start();
    const client = createGatewayClient(gateway, 1);
    try {
      const did = this.options.enrolled === false ? '' : await enrolGateway(client, this.admin);
      this.gateways.push({ ...gateway, did });
    } catch (error) {
      await process.stop();
      throw error;
    } finally {
      await client.close();
    }
  }
}

function createGatewayClient(
  { url, password }: Pick<BusGateway, 'url' | 'password'>,
  connections: number,
): GatewayClient {
  return new GatewayClient({
    baseUrl: url,
    username: GATEWAY_USER,
    password,
    timeoutMs: 10_000,
    connections,
  });
}
