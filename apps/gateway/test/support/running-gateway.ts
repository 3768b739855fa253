import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GatewayClient, GatewayStream, type GatewayStreamOptions } from '@ssb/bus';
import { generatePrivateKey, type PrivateKey } from '@ssb/identity';
import { buildApp, createLogger, readSettings } from '@ssb/platform';
import { freePort } from '@ssb/dev/free-ports';
import { waitForClosedPort } from '@ssb/testing';
import { gateway } from '../../src/gateway.app.js';
import { writeSecretFile, type RealBroker } from './real-broker.js';

export const USERNAME = 'caller';
export const PASSWORD = 'a pass:word with ümlaut';

/** The real gateway in this process, with a client. */
export interface RunningGateway {
  readonly url: string;
  readonly managementUrl: string;
  /** Contains all its files; removed when it stops. */
  readonly folder: string;
  readonly client: GatewayClient;
  /** Everything logged so far. */
  readonly logged: () => string;
  stream(
    options: Pick<GatewayStreamOptions, 'delivery' | 'onMessages'> & Partial<GatewayStreamOptions>,
  ): GatewayStream;
  /** Sets a new identity, enrols it and approves it. */
  enrolNewIdentity(broker: RealBroker): Promise<{ did: string; key: PrivateKey }>;
  /** Stops and starts again with the same data. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export async function startGateway(
  brokerUrl: string,
  overrides: Readonly<Record<string, string>> = {},
): Promise<RunningGateway> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-'));
  const lines: string[] = [];
  const environment = {
    // The same after a restart, so that subscribers reconnect.
    PORT: String(await freePort()),
    MANAGEMENT_PORT: '0',
    BASIC_AUTH_USERNAME: USERNAME,
    BASIC_AUTH_PASSWORD: PASSWORD,
    DATA_DIR: join(folder, 'data'),
    IDENTITY_SECRET_FILE: writeSecretFile(folder, 'secret'),
    BROKER_URL: brokerUrl,
    BROKER_LIVENESS_MS: '1000',
    BROKER_MAX_RETRY_DELAY_MS: '300',
    // Longer than any response takes on a busy machine.
    BROKER_TIMEOUT_MS: '20000',
    ...overrides,
  };
  const open = async () => {
    const log = createLogger({
      name: 'gateway',
      level: 'trace',
      format: 'json',
      stream: { write: (line) => void lines.push(line) },
    });
    const app = await buildApp(gateway, readSettings(gateway.definition, environment), log);
    const {
      urls: [url = ''],
      managementUrl,
    } = await app.listen();
    const client = new GatewayClient({
      baseUrl: url,
      username: USERNAME,
      password: PASSWORD,
      timeoutMs: 30_000,
    });
    return { app, url, managementUrl, client };
  };
  let running = await open().catch((error: unknown) => {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  });
  const stop = async (): Promise<void> => {
    await running.client.close();
    await running.app.close();
    await waitForClosedPort(Number(environment.PORT));
  };
  return {
    folder,
    get url() {
      return running.url;
    },
    get managementUrl() {
      return running.managementUrl;
    },
    get client() {
      return running.client;
    },
    logged: () => lines.join(''),
    stream: (options) =>
      new GatewayStream({
        url: running.url,
        username: USERNAME,
        password: PASSWORD,
        maxDelayMs: 300,
        onState: () => undefined,
        onFault: () => undefined,
        ...options,
      }),
    enrolNewIdentity: async (broker) => {
      const key = generatePrivateKey();
      await running.client.setIdentity(key.toHex());
      const { did } = await running.client.enrol();
      await broker.decide(did, 'approve');
      return { did, key };
    },
    restart: async () => {
      await stop();
      running = await open();
    },
    stop: async () => {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
