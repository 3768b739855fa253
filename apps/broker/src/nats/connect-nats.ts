import { setTimeout as delay } from 'node:timers/promises';
import { connect, errors } from '@nats-io/transport-node';
import type { NatsConnection, NodeConnectionOptions } from '@nats-io/transport-node';
import type { Logger } from '@ssb/platform';
import { LARGEST_MESSAGE, type Settings } from '../settings.js';
import { identificationOf, type Identification } from './nats-identification.js';
import { NatsSettingError, type NatsSetting } from './nats-setting-error.js';
import { tlsOf } from './nats-tls.js';

export type NatsSettings = Pick<Settings, 'NODE_ENV' | NatsSetting>;

/** This NATS server could not keep what the broker promises, and production does not accept that. */
export class UnsafeNatsError extends Error {
  override readonly name = 'UnsafeNatsError';

  constructor(readonly dangers: readonly string[]) {
    super(`This NATS server is refused in production. ${dangers.join(' ')}`);
  }
}

const RETRY_DELAY_MS = 500;
const RECONNECT_MS = 200;
const CONNECT_TIMEOUT_MS = 5_000;
/** A silent connection is closed after three of these. */
const PING_MS = 5_000;
/** Bytes around the largest payload: topic, sender, signature, correlation id, and the protocol's own. */
const ROOM_BESIDE_PAYLOAD = 65_536;

/**
 * Connects; waits for a server that is away, and reconnects indefinitely afterwards. The caller closes the connection.
 * @throws NatsSettingError when a setting is wrong or the server refuses the broker; UnsafeNatsError in production
 */
export async function connectNats(settings: NatsSettings, log: Logger): Promise<NatsConnection> {
  const identification = identificationOf(settings);
  const { asked, tls } = tlsOf(settings);
  const options = { ...optionsOf(settings.NATS_URL, identification), ...(asked && { tls }) };
  const connection = await firstConnection(options, identification, log);
  const dangers = connection.info ? dangersOf(connection.info, LARGEST_MESSAGE) : [];
  if (settings.NODE_ENV === 'production' && dangers.length > 0) {
    await connection.close();
    throw new UnsafeNatsError(dangers);
  }
  for (const danger of dangers) log.warn(danger);
  return connection;
}

async function firstConnection(
  options: NodeConnectionOptions,
  identification: Identification | undefined,
  log: Logger,
): Promise<NatsConnection> {
  for (;;) {
    try {
      return await connect(options);
    } catch (error) {
      const refused = whyRefused(error, identification);
      if (refused) throw refused;
      if (!isAway(error)) throw error;
      // In TLS 1.3 a server refuses a client certificate after the handshake, and the client library reports a timeout.
      const isSilent = error instanceof errors.TimeoutError && options.tls;
      const hint = isSilent ? 'the server may want NATS_CERTIFICATE_FILE, or not accept it' : undefined;
      log.warn({ err: error, hint }, 'NATS is away; trying again');
      await delay(RETRY_DELAY_MS);
    }
  }
}

/** Undefined when the server is away. */
function whyRefused(
  error: unknown,
  identification: Identification | undefined,
): NatsSettingError | undefined {
  const refused = (setting: NatsSetting, reason: string): NatsSettingError =>
    new NatsSettingError(setting, reason, { cause: error });
  if (error instanceof errors.AuthorizationError || error instanceof errors.UserAuthenticationExpiredError) {
    if (identification)
      return refused(identification.setting, `the server does not let the broker in (${error.message})`);
    return refused(
      'NATS_URL',
      'the server requires credentials: name user and password here, or set NATS_TOKEN_FILE, NATS_NKEY_FILE or NATS_CREDENTIALS_FILE',
    );
  }
  if (error instanceof errors.ConnectionError && error.message.includes("does not support 'tls'"))
    return refused('NATS_URL', 'the server has no TLS, which NATS_URL or a NATS_*_FILE asks for');
  const code = String((error as NodeJS.ErrnoException).code);
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return refused('NATS_URL', "the server's certificate is for another host");
  if (CERTIFICATE_REFUSED.test(code))
    return refused('NATS_CA_FILE', `the server's certificate is not accepted (${code})`);
  if (code.startsWith('ERR_SSL_') || code === 'EPROTO')
    return refused('NATS_URL', `TLS with the server failed (${code})`);
  return undefined;
}

/** X509_verify_cert_error_string(3) as Node names its codes. */
const CERTIFICATE_REFUSED =
  /^(CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|INVALID_CA|INVALID_PURPOSE|CRL_|HOSTNAME_MISMATCH)/;

/** The port is closed, the name is not known (yet), or the connection broke during the handshake. */
function isAway(error: unknown): boolean {
  if (error instanceof errors.ConnectionError || error instanceof errors.TimeoutError) return true;
  return typeof error === 'object' && error !== null && 'syscall' in error;
}

function optionsOf(
  urls: readonly string[],
  identification: Identification | undefined,
): NodeConnectionOptions {
  return {
    servers: urls.map((url) => new URL(url).host),
    name: 'broker',
    timeout: CONNECT_TIMEOUT_MS,
    reconnect: true,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_MS,
    reconnectJitter: RECONNECT_MS,
    pingInterval: PING_MS,
    // A server that restarts may not know its users yet.
    ignoreAuthErrorAbort: true,
    // Two stack traces for each request cost more than sending it.
    noAsyncTraces: true,
    ...(identification && { authenticator: identification.authenticator }),
  };
}

/** The dangers in a server's configuration, each a sentence with the remedy; empty when none. */
export function dangersOf(
  { jetstream, max_payload }: { readonly jetstream?: boolean; readonly max_payload: number },
  largestPayload: number,
): string[] {
  const needed = largestPayload + ROOM_BESIDE_PAYLOAD;
  return [
    ...(jetstream === true ? [] : ['It has no JetStream, so it stores nothing; configure jetstream.']),
    ...(max_payload >= needed
      ? []
      : [
          `Its max_payload is ${max_payload}, so it refuses the largest messages; set it to ${needed} or more.`,
        ]),
  ];
}
