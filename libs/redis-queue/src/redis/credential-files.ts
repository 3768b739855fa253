import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { checkServerIdentity } from '@ssb/net';
import { ConfiguredFileError, readCaFile, readConfiguredText, assertCertificate } from '@ssb/platform';
import { RedisSettingsError, serversOf, type RedisSettings } from './servers.js';

const TLS_FILES = ['REDIS_CA_FILE', 'REDIS_CERT_FILE', 'REDIS_KEY_FILE'] as const;
const OF_SENTINELS = ['REDIS_SENTINEL_USERNAME', 'REDIS_SENTINEL_PASSWORD_FILE'] as const;

/** Without braces, the keys of a bridge are in several slots, and no script may use several slots. */
const HASH_TAG = /^\{[^}]+\}/;

/** @throws RedisSettingsError */
export function checkRedisSettings(settings: RedisSettings): void {
  const servers = serversOf(settings);
  if (servers.setting === 'REDIS_URL') checkCredentials(servers.url, settings);
  const tlsFile = TLS_FILES.find((name) => settings[name] !== undefined);
  if (!servers.tls && tlsFile !== undefined)
    throw new RedisSettingsError(
      servers.setting === 'REDIS_URL'
        ? `${tlsFile} is set, but REDIS_URL starts with redis://, which is a connection without TLS. Use rediss://, or unset ${tlsFile}.`
        : `${tlsFile} is set, but the entries of ${servers.setting} do not start with rediss://, so they are connections without TLS. Use rediss://host:port, or unset ${tlsFile}.`,
    );
  const sentinelSetting = OF_SENTINELS.find((name) => settings[name] !== undefined);
  if (servers.setting !== 'REDIS_SENTINELS' && sentinelSetting !== undefined)
    throw new RedisSettingsError(
      `${sentinelSetting} is set, but REDIS_SENTINELS is not. Set REDIS_SENTINELS, or unset ${sentinelSetting}.`,
    );
  const { QUEUE_PREFIX: prefix } = settings;
  if (servers.setting === 'REDIS_CLUSTER_NODES' && prefix !== undefined && !HASH_TAG.test(prefix))
    throw new RedisSettingsError(
      `QUEUE_PREFIX is "${prefix}", but with REDIS_CLUSTER_NODES it takes a name in braces, which keeps all keys in one slot. Set it to "{${prefix}}".`,
    );
}

function checkCredentials(url: string, settings: RedisSettings): void {
  const { username, password, searchParams } = new URL(url);
  const inUrl = [username, password, searchParams.get('username'), searchParams.get('password')].some(
    Boolean,
  );
  const isSet = settings.REDIS_USERNAME !== undefined || settings.REDIS_PASSWORD_FILE !== undefined;
  if (inUrl && isSet)
    throw new RedisSettingsError(
      'REDIS_URL contains a user name or password, and REDIS_USERNAME or REDIS_PASSWORD_FILE is set; only one of the two is allowed. Remove the credentials from REDIS_URL.',
    );
}

/** The options of ioredis that come from files. */
export interface RedisCredentials {
  readonly username?: string;
  readonly password?: string;
  readonly tls?: ConnectionOptions;
  readonly sentinelPassword?: string;
  readonly sentinelTLS?: ConnectionOptions;
}

/** Reads the files that the settings name. @throws ConfiguredFileError, or the file system's error with the path */
export function readRedisCredentials(settings: RedisSettings): RedisCredentials {
  const servers = serversOf(settings);
  const { REDIS_USERNAME: username, REDIS_PASSWORD_FILE: passwordFile } = settings;
  const { REDIS_SENTINEL_PASSWORD_FILE: sentinelPasswordFile } = settings;
  const tls = servers.tls ? readTls(settings) : undefined;
  const isSentinel = servers.setting === 'REDIS_SENTINELS';
  return {
    ...(username !== undefined && { username }),
    ...(passwordFile !== undefined && { password: readPassword(passwordFile) }),
    ...(isSentinel &&
      sentinelPasswordFile !== undefined && { sentinelPassword: readPassword(sentinelPasswordFile) }),
    ...(tls && { tls: servers.setting === 'REDIS_URL' ? forHost(tls, new URL(servers.url).hostname) : tls }),
    ...(tls && isSentinel && { sentinelTLS: tls }),
  };
}

/** Reads the files again before each connection. */
export class CredentialFiles {
  private latest: RedisCredentials;
  private lastMessage: string | undefined;

  /** @throws ConfiguredFileError, or the file system's error with the path */
  constructor(
    private readonly settings: RedisSettings,
    private readonly onError: (error: Error) => void,
  ) {
    this.latest = readRedisCredentials(settings);
  }

  /** A file may be missing while it is replaced. The previous content then stays in use. */
  read(): RedisCredentials {
    try {
      this.latest = readRedisCredentials(this.settings);
      this.lastMessage = undefined;
    } catch (error) {
      const { message } = error as Error;
      if (message !== this.lastMessage) this.onError(error as Error);
      this.lastMessage = message;
    }
    return this.latest;
  }
}

function readPassword(path: string): string {
  const password = readConfiguredText(path).trim();
  if (password === '') throw new ConfiguredFileError(path, 'is empty; it takes a password.');
  if (/[\r\n]/.test(password))
    throw new ConfiguredFileError(path, 'has several lines; it takes one line with a password.');
  return password;
}

function readTls(settings: RedisSettings): ConnectionOptions {
  const { REDIS_CA_FILE: caFile, REDIS_CERT_FILE: certFile, REDIS_KEY_FILE: keyFile } = settings;
  return {
    minVersion: 'TLSv1.2',
    checkServerIdentity,
    ...(caFile !== undefined && { ca: readCaFile(caFile) }),
    ...(certFile !== undefined && keyFile !== undefined && readClientCertificate(certFile, keyFile)),
  };
}

/** Node sends no server name by default. RFC 6066 §3 allows none that is an address. */
export function forHost(tls: ConnectionOptions, host: string): ConnectionOptions {
  return isIP(host.replace(/^\[|\]$/g, '')) === 0 ? { ...tls, servername: host } : tls;
}

function readClientCertificate(certFile: string, keyFile: string): { cert: string; key: string } {
  const [cert, key] = [certFile, keyFile].map(readConfiguredText) as [string, string];
  assertCertificate(certFile, cert);
  if (!isKeyOf(key, cert))
    throw new ConfiguredFileError(keyFile, `is not the private key of the certificate in ${certFile}.`);
  return { cert, key };
}

function isKeyOf(key: string, cert: string): boolean {
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}
