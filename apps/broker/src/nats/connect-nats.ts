import { setTimeout as pause } from 'node:timers/promises';
import { connect, errors } from '@nats-io/transport-node';
import type { NatsConnection, NodeConnectionOptions } from '@nats-io/transport-node';
import type { Logger } from '@ssb/platform';
import { LARGEST_MESSAGE, type Settings } from '../settings.js';
import { identificationOf, type Identification } from './nats-identification.js';
import type { NatsSetting } from './nats-setting-error.js';
import { tlsOf, type NatsTls } from './nats-tls.js';
import { offersTls, probeServer } from './probe-server.js';
import { dangersOf, UnsafeNatsError } from './server-fitness.js';
import { whyNotConnected, whyNotTaken, type Brought } from './why-refused.js';

export type NatsSettings = Pick<Settings, 'NODE_ENV' | NatsSetting>;

const BETWEEN_TRIES_MS = 500;
const RECONNECT_MS = 200;
/** A connection that never says that it is dead is given up after three of these. */
const PING_MS = 5_000;
const PROBE_TIMEOUT_MS = 5_000;

interface Way {
  readonly urls: readonly string[];
  readonly tls: NatsTls;
  readonly brought: Brought;
  readonly options: NodeConnectionOptions;
}

/**
 * Connects; waits for a server that is away, and connects again for ever once it was there. The caller closes it.
 * @throws NatsSettingError when a setting is wrong or the server does not let the broker in; UnsafeNatsError in production
 */
export async function connectNats(settings: NatsSettings, log: Logger): Promise<NatsConnection> {
  const connection = await firstConnection(wayOf(settings), log);
  const dangers = connection.info ? dangersOf(connection.info, LARGEST_MESSAGE) : [];
  if (settings.NODE_ENV === 'production' && dangers.length > 0) {
    await connection.close();
    throw new UnsafeNatsError(dangers);
  }
  for (const danger of dangers) log.warn(danger);
  return connection;
}

async function firstConnection(way: Way, log: Logger): Promise<NatsConnection> {
  for (;;) {
    const secure = await probe(way);
    try {
      return await connect({ ...way.options, ...(secure && { tls: way.tls }) });
    } catch (error) {
      const refused = whyNotConnected(error, way.brought);
      if (refused) throw refused;
      if (!isAway(error)) throw error;
      log.warn({ err: error }, 'NATS is away; trying again');
      await pause(BETWEEN_TRIES_MS);
    }
  }
}

/**
 * The servers are of one cluster, so the first that answers speaks for all.
 * @returns whether it has TLS
 * @throws NatsSettingError when it would not let us in
 */
async function probe({ urls, tls, brought }: Way): Promise<boolean> {
  for (const url of urls) {
    const seen = await probeServer(url, tls, PROBE_TIMEOUT_MS);
    if (seen === undefined) continue;
    const refused = whyNotTaken(seen, brought);
    if (refused) throw refused;
    return offersTls(seen.greeting);
  }
  return brought.tlsAsked;
}

/** Nobody listens, the name is not known (yet), or the connection broke before it stood. */
function isAway(error: unknown): boolean {
  if (error instanceof errors.ConnectionError || error instanceof errors.TimeoutError) return true;
  return typeof error === 'object' && error !== null && 'syscall' in error;
}

function wayOf(settings: NatsSettings): Way {
  const identification = identificationOf(settings);
  const { asked, tls } = tlsOf(settings);
  const brought = { identification, tlsAsked: asked, clientCertificate: tls.certFile !== undefined };
  return { urls: settings.NATS_URL, tls, brought, options: optionsOf(settings.NATS_URL, identification) };
}

function optionsOf(
  urls: readonly string[],
  identification: Identification | undefined,
): NodeConnectionOptions {
  return {
    servers: urls.map((url) => new URL(url).host),
    name: 'broker',
    reconnect: true,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_MS,
    reconnectJitter: RECONNECT_MS,
    pingInterval: PING_MS,
    // A server that starts again may not know its users yet: that is no reason to give up.
    ignoreAuthErrorAbort: true,
    // Each request would draw up two stack traces, for errors that hardly ever come; with many messages these cost more than sending.
    noAsyncTraces: true,
    ...(identification && { authenticator: identification.authenticator }),
  };
}
