import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { connect, errors } from '@nats-io/transport-node';
import type { NatsConnection, NodeConnectionOptions } from '@nats-io/transport-node';
import type { Logger } from '@ssb/platform';
import { retry } from '@ssb/resilience';
import { LARGEST_MESSAGE, type Settings } from '../../settings.js';

export type NatsSettings = Pick<Settings, 'NODE_ENV' | 'NATS_URL' | 'NATS_CA_FILE'>;

/** With this setting the NATS server refuses the broker, so waiting would not help. The message contains no secret. */
export class NatsSettingError extends Error {
  override readonly name = 'NatsSettingError';

  constructor(
    readonly setting: 'NATS_URL' | 'NATS_CA_FILE',
    reason: string,
    options?: ErrorOptions,
  ) {
    super(`${setting}: ${reason}`, options);
  }
}

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
  const attempt = () =>
    connect(options).catch((error: unknown) => {
      throw whyRefused(error) ?? error;
    });
  return retry(attempt, {
    delayMs: (error) => {
      if (error instanceof NatsSettingError || !isAway(error)) return undefined;
      log.warn({ err: error }, 'NATS is away; trying again');
      return RETRY_DELAY_MS;
    },
  });
}

/** Undefined when the server is away. */
function whyRefused(cause: unknown): NatsSettingError | undefined {
  const refused = (setting: 'NATS_URL' | 'NATS_CA_FILE', reason: string): NatsSettingError =>
    new NatsSettingError(setting, reason, { cause });
  if (cause instanceof errors.AuthorizationError || cause instanceof errors.UserAuthenticationExpiredError)
    return refused('NATS_URL', `the server requires another user and password, or token (${cause.message})`);
  if (cause instanceof errors.ConnectionError && cause.message.includes("does not support 'tls'"))
    return refused('NATS_URL', 'the server has no TLS, which NATS_URL or NATS_CA_FILE requires');
  const code = String((cause as NodeJS.ErrnoException).code);
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

function optionsOf({ NATS_URL, NATS_CA_FILE: caFile }: NatsSettings): NodeConnectionOptions {
  if (caFile !== undefined) checkCertificate(caFile);
  const urls = NATS_URL.map((url) => new URL(url));
  const secure = caFile !== undefined || urls.some(({ protocol }) => protocol === 'tls:');
  const tls = { ...(caFile !== undefined && { caFile }), checkServerIdentity: identityCheck(urls) };
  return {
    servers: urls.map(({ host }) => host),
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
    ...credentialsOf(urls),
    ...(secure && { tls }),
  };
}

/** `nats://user:password@host`, or a token alone before the host, as NATS's own tools write it. */
function credentialsOf(urls: readonly URL[]): Pick<NodeConnectionOptions, 'user' | 'pass' | 'token'> {
  const named = urls.find(({ username }) => username !== '');
  if (named === undefined) return {};
  const [user, pass] = [decodeURIComponent(named.username), decodeURIComponent(named.password)];
  return pass === '' ? { token: user } : { user, pass };
}

/** @throws NatsSettingError */
function checkCertificate(file: string): void {
  try {
    new X509Certificate(readFileSync(file));
  } catch (cause) {
    throw new NatsSettingError('NATS_CA_FILE', 'the file holds no certificate that can be read', { cause });
  }
}

/**
 * The client library forgets the host when it is an IP address, and Node then takes it for `localhost`. So a certificate is good when it
 * is for the host, or for one of the IP addresses that the setting names.
 */
function identityCheck(urls: readonly URL[]) {
  const addresses = urls
    .map(({ hostname }) => hostname.replace(/^\[(.*)\]$/, '$1'))
    .filter((host) => isIP(host));
  return (host: string, certificate: PeerCertificate): Error | undefined => {
    const failure = checkServerIdentity(host, certificate);
    const named = addresses.some((address) => checkServerIdentity(address, certificate) === undefined);
    return named ? undefined : failure;
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
