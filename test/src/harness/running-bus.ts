import { GatewayClient } from '@ssb/bus';
import { freePort } from '@ssb/free-ports';
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

/** Redis Streams, or NATS JetStream on files. */
export type BusEngine = 'redis' | 'nats';

export interface BusShape {
  /** Broker replicas on one engine. Default 1. */
  readonly brokers?: number;
  /** Names of the gateways; they are spread over the brokers in turn. */
  readonly gateways: readonly string[];
  /** What keeps the messages. Default Redis Streams; channels, roles and sessions are in Redis with either. */
  readonly engine?: BusEngine;
  /** Further settings of every broker. */
  readonly brokerSettings?: Readonly<Record<string, string>>;
  /** The Redis to use, which the caller stops; one of its own when omitted. */
  readonly redis?: TestRedis;
}

export interface BusGateway {
  readonly name: string;
  readonly url: string;
  readonly password: string;
  readonly did: string;
  readonly process: AppProcess;
}

/** The message bus by itself in a throw-away folder: brokers and enrolled gateways as processes, no market and no bridge. */
export class RunningBus {
  readonly brokers: AppProcess[] = [];
  readonly gateways: BusGateway[] = [];
  private readonly issuerKey = generatePrivateKey();
  private readonly secrets: SecretsFolder;
  private readonly brokerUrls: string[] = [];

  private constructor(
    readonly shape: BusShape,
    readonly folder: string,
    readonly redis: TestRedis,
    private readonly nats: TestNats | undefined,
  ) {
    this.secrets = new SecretsFolder(join(folder, 'secrets'));
  }

  static async start(shape: BusShape): Promise<RunningBus> {
    const folder = mkdtempSync(join(tmpdir(), 'settlement-bus-bridge-bus-'));
    const redis = shape.redis ?? (await startTestRedis());
    const nats = shape.engine === 'nats' ? await startTestNats() : undefined;
    const bus = new RunningBus(shape, folder, redis, nats);
    try {
      for (let number = 0; number < (shape.brokers ?? 1); number += 1) await bus.startBroker(number);
      for (const [number, name] of shape.gateways.entries()) await bus.startGateway(number, name);
      return bus;
    } catch (error) {
      await bus.stop();
      throw error;
    }
  }

  /** The hands of the role issuer, who also creates the channels, at the first broker. */
  get admin(): BrokerAdmin {
    return new BrokerAdmin(this.brokerUrls[0] ?? '', this.issuerKey);
  }

  /** The server that keeps the messages. */
  get engine(): TestServer {
    return this.nats ?? this.redis;
  }

  /** @throws RangeError when this bus has no such gateway */
  gateway(name: string): BusGateway {
    const found = this.gateways.find((gateway) => gateway.name === name);
    if (found === undefined) throw new RangeError(`this bus has no gateway ${name}`);
    return found;
  }

  /** A client of the gateway, with its credentials. The caller closes it. */
  client(name: string, connections = 8): GatewayClient {
    return clientOf(this.gateway(name), connections);
  }

  async stop(): Promise<void> {
    await Promise.all(this.gateways.map(({ process }) => process.stop()));
    await Promise.all(this.brokers.map((broker) => broker.stop()));
    await this.nats?.stop();
    if (this.shape.redis === undefined) await this.redis.stop();
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
        PORT: String(port),
        REDIS_URL: this.redis.url,
        BROKER_AUDIENCE,
        TOKEN_SECRET_FILE: this.secrets.file('broker-token.secret'),
        // Replicas of one broker have one identity.
        IDENTITY_KEY_FILE: join(this.folder, 'broker.key'),
        IDENTITY_SECRET_FILE: this.secrets.file('sealing.secret'),
        ROLE_ISSUERS: issuer,
        CHANNEL_CREATORS: issuer,
        ...(this.nats && { LOG_ENGINE: 'nats', NATS_URL: this.nats.url }),
        ...this.shape.brokerSettings,
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
        PORT: String(port),
        BASIC_AUTH_USERNAME: GATEWAY_USER,
        BASIC_AUTH_PASSWORD: password,
        DATA_DIR: join(this.folder, name),
        IDENTITY_SECRET_FILE: this.secrets.file('sealing.secret'),
        BROKER_URL: this.brokerUrls[number % this.brokerUrls.length] ?? '',
        BROKER_AUDIENCE,
      },
    });
    const gateway = { name, url: `http://127.0.0.1:${port}`, password, process };
    await process.start();
    const client = clientOf(gateway, 1);
    try {
      this.gateways.push({ ...gateway, did: await enrolGateway(client, this.admin) });
    } catch (error) {
      await process.stop();
      throw error;
    } finally {
      await client.close();
    }
  }
}

function clientOf(
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
