import type { ConnectionOptions } from 'node:tls';
import type { Cluster, Redis } from 'ioredis';
import { SentinelsError } from './connection-events.js';
import { settingOf, type RedisConnection, type ServersSetting } from './servers.js';

interface Options extends ErrorOptions {
  /** The setting that names the servers. */
  readonly setting?: ServersSetting;
  /** A Sentinel failed, not the server that it names. */
  readonly isSentinel?: boolean;
}

/** Redis cannot be reached. */
export class RedisUnavailableError extends Error {
  override readonly name = 'RedisUnavailableError';
  readonly startFault = 'unavailable';

  constructor(reason: string, options: Options = {}) {
    super(`${nameOf(options)} cannot be used: ${withoutFullStop(reason)}.`, options);
  }
}

/** Redis refuses the user name or password. */
export class RedisRefusedError extends Error {
  override readonly name = 'RedisRefusedError';
  readonly startFault = 'configuration';

  constructor(reason: string, options: Options = {}) {
    super(
      `${nameOf(options)} refuses the user name or password: ${withoutFullStop(reason)}; correct ${credentialsOf(options)}.`,
      options,
    );
  }
}

/** Redis refuses the number of the database at the end of REDIS_URL. */
export class RedisDatabaseError extends Error {
  override readonly name = 'RedisDatabaseError';
  readonly startFault = 'configuration';

  constructor(database: string, reason: string, options?: ErrorOptions) {
    super(
      `The Redis of REDIS_URL refuses database ${database} (${withoutFullStop(reason)}); end REDIS_URL with the number of one that exists, such as /0.`,
      options,
    );
  }
}

/** The user of Redis lacks a right that the app needs. */
export class RedisPermissionError extends Error {
  override readonly name = 'RedisPermissionError';
  readonly startFault = 'configuration';

  constructor(reason: string, options: Options = {}) {
    super(
      `${nameOf(options)} does not permit what the app does (${withoutFullStop(reason)}); give its user the rights of docs/operate/databases.md, with the prefix of the app's keys.`,
      options,
    );
  }
}

/** A connection with TLS is refused, by one of the two sides. */
export class RedisTlsError extends Error {
  override readonly name = 'RedisTlsError';
  readonly startFault = 'configuration';

  constructor(reason: string, options: Options = {}) {
    super(`${nameOf(options)} cannot be used with TLS: ${withoutFullStop(reason)}.`, options);
  }
}

export type RedisConnectionError =
  | RedisRefusedError
  | RedisPermissionError
  | RedisTlsError
  | RedisUnavailableError;

function nameOf({ setting = 'REDIS_URL', isSentinel = false }: Options): string {
  return `${isSentinel ? 'A Sentinel' : 'The Redis'} of ${setting}`;
}

function credentialsOf({ setting = 'REDIS_URL', isSentinel = false }: Options): string {
  if (isSentinel) return 'REDIS_SENTINEL_USERNAME and REDIS_SENTINEL_PASSWORD_FILE';
  return `${setting === 'REDIS_URL' ? 'REDIS_URL, or ' : ''}REDIS_USERNAME and REDIS_PASSWORD_FILE`;
}

/** The error of Redis for a wrong user name or password. */
const REFUSED = /NOAUTH|WRONGPASS|without any password configured|invalid password/i;

const UNTRUSTED =
  'its certificate is not trusted; set REDIS_CA_FILE to the certificate of the authority that issued it';
const CERTIFICATE_REQUIRED = 'it requires a client certificate; set REDIS_CERT_FILE and REDIS_KEY_FILE';
const CERTIFICATE_REFUSED =
  'it refuses the client certificate; set REDIS_CERT_FILE and REDIS_KEY_FILE to one of an authority that it trusts';
const NO_TLS = 'its port serves no TLS; use the port for TLS, or redis:// for a port without';

/** Codes of Node and OpenSSL. */
const TLS_REASONS: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host; use a host name of the certificate',
  CERT_HAS_EXPIRED: 'its certificate has expired; renew it',
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: CERTIFICATE_REQUIRED,
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: CERTIFICATE_REQUIRED,
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: CERTIFICATE_REFUSED,
  ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE: CERTIFICATE_REFUSED,
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED: CERTIFICATE_REFUSED,
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
};

/**
 * The error that explains the failure of a connection or a command to the operator.
 * @param connectionError the latest error of the connection
 */
export function explainConnectionError(
  redis: RedisConnection,
  error: Error,
  connectionError = error,
): RedisConnectionError {
  const setting = settingOf(redis);
  const reason = describe(connectionError);
  const options = { cause: error, setting, isSentinel: connectionError instanceof SentinelsError };
  if (REFUSED.test(reason) || REFUSED.test(error.message)) return new RedisRefusedError(reason, options);
  if (/^NOPERM/.test(error.message)) return new RedisPermissionError(error.message, options);
  const { code = '' } = connectionError as NodeJS.ErrnoException;
  const tlsReason = TLS_REASONS[code];
  if (tlsReason !== undefined) return new RedisTlsError(tlsReason, options);
  const tls = tlsOf(redis);
  const hint = HIDDEN.test(reason) ? findHintOfHidden(tls, setting) : findTlsHint(code, tls, setting);
  return new RedisUnavailableError(hint === undefined ? reason : `${reason}; ${hint}`, options);
}

function tlsOf(redis: RedisConnection): ConnectionOptions | undefined {
  return redis.isCluster ? (redis as Cluster).options.redisOptions?.tls : (redis as Redis).options.tls;
}

/** ioredis hides why it cannot connect to a Sentinel, or to any node of a cluster. */
const HIDDEN = /^Connection is closed/;

function findHintOfHidden(tls: ConnectionOptions | undefined, setting: ServersSetting): string {
  return tls
    ? `check ${setting}, that it serves TLS, and REDIS_CA_FILE and the client certificate`
    : `check ${setting}, which needs rediss:// if it requires TLS`;
}

/** A wrong configuration of TLS can look like a network failure. */
function findTlsHint(
  code: string,
  tls: ConnectionOptions | undefined,
  setting: ServersSetting,
): string | undefined {
  switch (code) {
    // With TLS 1.3, Redis refuses a client after the handshake, and its reason can be lost.
    case 'ECONNRESET':
    case 'EPIPE':
      if (!tls) return `if its port requires TLS, use rediss:// in ${setting}`;
      return tls.cert === undefined
        ? 'if it requires a client certificate, set REDIS_CERT_FILE and REDIS_KEY_FILE'
        : 'it may refuse the client certificate of REDIS_CERT_FILE';
    // A Redis without TLS waits for the end of a command.
    case 'ETIMEDOUT':
      return tls ? `if its port serves no TLS, use redis:// in ${setting}` : undefined;
    default:
      return undefined;
  }
}

/** The error of a host name with several addresses has a code and no message. */
function describe(error: Error): string {
  return error.message || String((error as NodeJS.ErrnoException).code);
}

function withoutFullStop(text: string): string {
  return text.replace(/\.+$/, '');
}

/** A command met a key that holds another type of value. In a script the code stands within the message. */
export function isWrongTypeError(error: unknown): boolean {
  // ioredis gives the errors of the server this name.
  return error instanceof Error && error.name === 'ReplyError' && /\bWRONGTYPE\b/.test(error.message);
}
