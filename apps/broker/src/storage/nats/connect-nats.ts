import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import type { PeerCertificate } from 'node:tls';
import { connect, errors, type NatsConnection, type NodeConnectionOptions } from '@nats-io/transport-node';
import { checkServerIdentity, retry } from '@ssb/net';
import { ConfigurationError, type Logger } from '@ssb/platform';
import { MAX_PAYLOAD_BYTES, type Settings } from '../../settings.js';

export type NatsSettings = Pick<Settings, 'NODE_ENV' | 'NATS_URL' | 'NATS_CA_FILE'>;

/** The connection fails because of this setting, so a retry does not help. The message contains no secret. */
export class NatsSettingError extends ConfigurationError {
  override readonly name = 'NatsSettingError';

  constructor(
    readonly setting: 'NATS_URL' | 'NATS_CA_FILE',
    reason: string,
    options?: ErrorOptions,
  ) {
    super(`${setting}: ${reason}`, options);
  }
}

/** The configuration of the NATS server could lose or refuse messages. Thrown in production only. */
export class UnsafeNatsError extends ConfigurationError {
  override readonly name = 'UnsafeNatsError';

  constructor(readonly dangers: readonly string[]) {
    super(`This NATS server is refused in production. ${dangers.join(' ')}`);
  }
}

const RETRY_DELAY_MS = 500;
const RECONNECT_DELAY_MS = 200;
const CONNECT_TIMEOUT_MS = 5_000;
/** The client library closes a connection after three unanswered pings. */
const PING_INTERVAL_MS = 5_000;
/** Topic, sender, signature, correlation id and protocol overhead. */
const MAX_METADATA_BYTES = 65_536;

/**
 * Retries until the server is reachable, and reconnects indefinitely afterwards. The caller closes the connection.
 * @throws NatsSettingError when a setting is wrong or the server refuses the broker; UnsafeNatsError when production refuses the server
 */
export async function connectNats(settings: NatsSettings, log: Logger): Promise<NatsConnection> {
  const connection = await connectWithRetry(toConnectionOptions(settings), log);
  const dangers = connection.info ? findDangers(connection.info, MAX_PAYLOAD_BYTES) : [];
  if (settings.NODE_ENV === 'production' && dangers.length > 0) {
    await connection.close();
    throw new UnsafeNatsError(dangers);
  }
  for (const detail of dangers) log.warn({ detail }, 'NATS configuration unsafe');
  return connection;
}

async function connectWithRetry(options: NodeConnectionOptions, log: Logger): Promise<NatsConnection> {
  const attempt = async (): Promise<NatsConnection> => {
    try {
      return await connect(options);
    } catch (error) {
      throw findWrongSetting(error) ?? error;
    }
  };
  return retry(attempt, {
    delayMs: (error) => {
      if (error instanceof NatsSettingError || !isUnreachable(error)) return undefined;
      log.warn({ err: error }, 'NATS connection failed');
      return RETRY_DELAY_MS;
    },
  });
}

/** @returns undefined when no setting caused the failure */
function findWrongSetting(cause: unknown): NatsSettingError | undefined {
  const settingError = (setting: 'NATS_URL' | 'NATS_CA_FILE', reason: string): NatsSettingError =>
    new NatsSettingError(setting, reason, { cause });
  if (cause instanceof errors.AuthorizationError || cause instanceof errors.UserAuthenticationExpiredError)
    return settingError(
      'NATS_URL',
      `the server requires other credentials: a user and password, or a token (${cause.message})`,
    );
  if (cause instanceof errors.ConnectionError && cause.message.includes("does not support 'tls'"))
    return settingError('NATS_URL', 'the server has no TLS, which NATS_URL or NATS_CA_FILE requires');
  const code = String((cause as NodeJS.ErrnoException).code);
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return settingError('NATS_URL', "the server's certificate is for another host");
  if (CERTIFICATE_REFUSED.test(code))
    return settingError('NATS_CA_FILE', `the server's certificate is not accepted (${code})`);
  if (code.startsWith('ERR_SSL_') || code === 'EPROTO')
    return settingError('NATS_URL', `TLS with the server failed (${code})`);
  return undefined;
}

/** X509_verify_cert_error_string(3) in Node's error codes. */
const CERTIFICATE_REFUSED =
  /^(CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|INVALID_CA|INVALID_PURPOSE|CRL_|HOSTNAME_MISMATCH)/;

/** The port is closed, the name does not resolve yet, or the connection broke during the handshake. */
function isUnreachable(error: unknown): boolean {
  if (error instanceof errors.ConnectionError || error instanceof errors.TimeoutError) return true;
  return typeof error === 'object' && error !== null && 'syscall' in error;
}

/** @throws NatsSettingError */
function toConnectionOptions({ NATS_URL, NATS_CA_FILE: caFile }: NatsSettings): NodeConnectionOptions {
  if (caFile !== undefined) checkCertificate(caFile);
  const urls = NATS_URL.map((url) => new URL(url));
  const usesTls = caFile !== undefined || urls.some(({ protocol }) => protocol === 'tls:');
  const tls = { ...(caFile !== undefined && { caFile }), checkServerIdentity: createIdentityCheck(urls) };
  return {
    servers: urls.map(({ host }) => host),
    name: 'broker',
    timeout: CONNECT_TIMEOUT_MS,
    reconnect: true,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_DELAY_MS,
    reconnectJitter: RECONNECT_DELAY_MS,
    pingInterval: PING_INTERVAL_MS,
    // A server that restarts may not have loaded its users yet.
    ignoreAuthErrorAbort: true,
    // Recording two stack traces for each request costs more than sending it.
    noAsyncTraces: true,
    ...parseCredentials(urls),
    ...(usesTls && { tls }),
  };
}

/** From `nats://user:password@host` or `nats://token@host`, as the NATS CLI accepts them. */
function parseCredentials(urls: readonly URL[]): Pick<NodeConnectionOptions, 'user' | 'pass' | 'token'> {
  const url = urls.find(({ username }) => username !== '');
  if (url === undefined) return {};
  const [user, pass] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
  return pass === '' ? { token: user } : { user, pass };
}

/** @throws NatsSettingError */
function checkCertificate(file: string): void {
  try {
    new X509Certificate(readFileSync(file));
  } catch (cause) {
    throw new NatsSettingError('NATS_CA_FILE', 'the file contains no readable certificate', { cause });
  }
}

/**
 * The client library does not pass an IP address to Node, which then verifies `localhost`. So a certificate for an IP address in NATS_URL
 * is also accepted.
 */
function createIdentityCheck(urls: readonly URL[]) {
  const addresses = urls
    .map(({ hostname }) => hostname.replace(/^\[(.*)\]$/, '$1'))
    .filter((host) => isIP(host));
  return (host: string, certificate: PeerCertificate): Error | undefined => {
    const failure = checkServerIdentity(host, certificate);
    const isForAddress = addresses.some((address) => !checkServerIdentity(address, certificate));
    return isForAddress ? undefined : failure;
  };
}

/** The problems of a server's configuration, each as a sentence that says how to fix it. */
export function findDangers(
  { jetstream, max_payload }: { readonly jetstream?: boolean; readonly max_payload: number },
  maxPayloadBytes: number,
): string[] {
  const required = maxPayloadBytes + MAX_METADATA_BYTES;
  const dangers: string[] = [];
  if (jetstream !== true) dangers.push('It has no JetStream, so it stores nothing; enable jetstream.');
  if (max_payload < required) {
    dangers.push(
      `Its max_payload is ${max_payload}, so it refuses the largest messages; set it to ${required} or more.`,
    );
  }
  return dangers;
}
