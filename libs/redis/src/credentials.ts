import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import {
  ConfigurationError,
  ConfiguredFileError,
  readCaFile,
  readConfiguredText,
  requireCertificate,
} from '@ssb/platform';

/** The settings of a connection: `redisSettings` of `@ssb/platform`. */
export interface RedisSettings {
  readonly REDIS_URL: string;
  readonly REDIS_USERNAME?: string | undefined;
  readonly REDIS_PASSWORD_FILE?: string | undefined;
  readonly REDIS_CA_FILE?: string | undefined;
  readonly REDIS_CERT_FILE?: string | undefined;
  readonly REDIS_KEY_FILE?: string | undefined;
}

/** The settings of a connection contradict each other. */
export class RedisSettingsError extends ConfigurationError {
  override readonly name = 'RedisSettingsError';
}

const TLS_FILES = ['REDIS_CA_FILE', 'REDIS_CERT_FILE', 'REDIS_KEY_FILE'] as const;

/** @throws RedisSettingsError */
export function checkRedisSettings(settings: RedisSettings): void {
  const { protocol, username, password, searchParams } = new URL(settings.REDIS_URL);
  const inUrl = [username, password, searchParams.get('username'), searchParams.get('password')].some(
    Boolean,
  );
  const isSet = settings.REDIS_USERNAME !== undefined || settings.REDIS_PASSWORD_FILE !== undefined;
  if (inUrl && isSet)
    throw new RedisSettingsError(
      'REDIS_URL contains a user name or password, and REDIS_USERNAME or REDIS_PASSWORD_FILE is set; only one of the two is allowed. Remove the credentials from REDIS_URL.',
    );
  const tlsFile = TLS_FILES.find((name) => settings[name] !== undefined);
  if (protocol !== 'rediss:' && tlsFile !== undefined)
    throw new RedisSettingsError(
      `${tlsFile} is set, but REDIS_URL starts with redis://, which is a connection without TLS. Use rediss://, or unset ${tlsFile}.`,
    );
}

/** The options of ioredis that come from files. */
export interface RedisCredentials {
  readonly username?: string;
  readonly password?: string;
  readonly tls?: ConnectionOptions;
}

/** Reads the files that the settings name. @throws ConfiguredFileError, or the file system's error with the path */
export function readRedisCredentials(settings: RedisSettings): RedisCredentials {
  const { REDIS_URL, REDIS_USERNAME: username, REDIS_PASSWORD_FILE: passwordFile } = settings;
  return {
    ...(username !== undefined && { username }),
    ...(passwordFile !== undefined && { password: readPassword(passwordFile) }),
    ...(new URL(REDIS_URL).protocol === 'rediss:' && { tls: readTls(settings) }),
  };
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
  const host = new URL(settings.REDIS_URL).hostname;
  // Node sends no server name by default. RFC 6066 §3 allows none that is an address.
  const isName = isIP(host.replace(/^\[|\]$/g, '')) === 0;
  return {
    minVersion: 'TLSv1.2',
    ...(isName && { servername: host }),
    ...(caFile !== undefined && { ca: readCaFile(caFile) }),
    ...(certFile !== undefined && keyFile !== undefined && readClientCertificate(certFile, keyFile)),
  };
}

function readClientCertificate(certFile: string, keyFile: string): { cert: string; key: string } {
  const [cert, key] = [certFile, keyFile].map(readConfiguredText) as [string, string];
  requireCertificate(certFile, cert);
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
