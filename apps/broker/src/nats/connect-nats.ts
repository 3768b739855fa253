import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { connect, credsAuthenticator, errors } from '@nats-io/transport-node';
import type { NatsConnection, NodeConnectionOptions } from '@nats-io/transport-node';
import type { Logger } from '@ssb/platform';
import { LARGEST_MESSAGE, type Settings } from '../settings.js';
import { dangersOf, UnsafeNatsError } from './server-fitness.js';

export type NatsSettings = Pick<
  Settings,
  | 'NODE_ENV'
  | 'NATS_URL'
  | 'NATS_CREDENTIALS_FILE'
  | 'NATS_CA_FILE'
  | 'NATS_CERTIFICATE_FILE'
  | 'NATS_KEY_FILE'
>;

const BETWEEN_TRIES_MS = 500;
const RECONNECT_MS = 200;
/** A connection that never says that it is dead is given up after three of these. */
const PING_MS = 5_000;

/**
 * Connects; waits for a server that is away, and connects again for ever once it was there. The caller closes it.
 * @throws AuthorizationError when the server knows the broker but does not let it in; UnsafeNatsError in production
 */
export async function connectNats(settings: NatsSettings, log: Logger): Promise<NatsConnection> {
  const connection = await firstConnection(optionsOf(settings), log);
  const dangers = connection.info ? dangersOf(connection.info, LARGEST_MESSAGE) : [];
  if (settings.NODE_ENV === 'production' && dangers.length > 0) {
    await connection.close();
    throw new UnsafeNatsError(dangers);
  }
  for (const danger of dangers) log.warn(danger);
  return connection;
}

async function firstConnection(options: NodeConnectionOptions, log: Logger): Promise<NatsConnection> {
  for (;;) {
    try {
      return await connect(options);
    } catch (error) {
      if (!(error instanceof errors.ConnectionError || error instanceof errors.TimeoutError)) throw error;
      log.warn({ err: error }, 'NATS is away; trying again');
      await pause(BETWEEN_TRIES_MS);
    }
  }
}

function optionsOf(settings: NatsSettings): NodeConnectionOptions {
  const urls = settings.NATS_URL.map((text) => new URL(text));
  const [named] = urls.filter(({ username }) => username !== '');
  const { NATS_CREDENTIALS_FILE, NATS_CA_FILE, NATS_CERTIFICATE_FILE, NATS_KEY_FILE } = settings;
  const secure = urls.some(({ protocol }) => protocol === 'tls:') || NATS_CA_FILE !== undefined;
  return {
    servers: urls.map(({ host }) => host),
    name: 'broker',
    reconnect: true,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_MS,
    reconnectJitter: RECONNECT_MS,
    pingInterval: PING_MS,
    // A server that starts again may not know its users yet: that is no reason to give up.
    ignoreAuthErrorAbort: true,
    ...(named && { user: decodeURIComponent(named.username), pass: decodeURIComponent(named.password) }),
    ...(NATS_CREDENTIALS_FILE !== undefined && {
      authenticator: credsAuthenticator(() => readFileSync(NATS_CREDENTIALS_FILE)),
    }),
    ...(secure && {
      tls: {
        ...(NATS_CA_FILE !== undefined && { caFile: NATS_CA_FILE }),
        ...(NATS_CERTIFICATE_FILE !== undefined && { certFile: NATS_CERTIFICATE_FILE }),
        ...(NATS_KEY_FILE !== undefined && { keyFile: NATS_KEY_FILE }),
      },
    }),
  };
}
