import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import type { Settings } from '../settings.js';
import { NatsSettingError, readSettingFile, type NatsSetting } from './nats-setting-error.js';

export type NatsTlsSettings = Pick<
  Settings,
  'NATS_URL' | 'NATS_CA_FILE' | 'NATS_CERTIFICATE_FILE' | 'NATS_KEY_FILE'
>;

/** The client library reads the files anew for each connection, so that a certificate can be renewed while the broker runs. */
export interface NatsTls {
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
  readonly checkServerIdentity: (host: string, certificate: PeerCertificate) => Error | undefined;
}

/**
 * What TLS needs, when a setting asks for it; a server that asks for it itself gets it in any case.
 * @throws NatsSettingError when a file cannot be read or is not what it should be, or certificate and key are no pair
 */
export function tlsOf(settings: NatsTlsSettings): { readonly asked: boolean; readonly tls: NatsTls } {
  const { NATS_CA_FILE, NATS_CERTIFICATE_FILE, NATS_KEY_FILE } = settings;
  if (NATS_CA_FILE !== undefined) certificateIn('NATS_CA_FILE', NATS_CA_FILE);
  checkPair(NATS_CERTIFICATE_FILE, NATS_KEY_FILE);
  const secure = settings.NATS_URL.some((url) => new URL(url).protocol === 'tls:');
  return {
    asked: secure || NATS_CA_FILE !== undefined || NATS_CERTIFICATE_FILE !== undefined,
    tls: {
      ...(NATS_CA_FILE !== undefined && { caFile: NATS_CA_FILE }),
      ...(NATS_CERTIFICATE_FILE !== undefined && { certFile: NATS_CERTIFICATE_FILE }),
      ...(NATS_KEY_FILE !== undefined && { keyFile: NATS_KEY_FILE }),
      checkServerIdentity: identityCheck(settings.NATS_URL),
    },
  };
}

function checkPair(certificateFile: string | undefined, keyFile: string | undefined): void {
  if (certificateFile === undefined && keyFile === undefined) return;
  if (certificateFile === undefined)
    throw new NatsSettingError('NATS_CERTIFICATE_FILE', 'is missing, while NATS_KEY_FILE is set');
  if (keyFile === undefined)
    throw new NatsSettingError('NATS_KEY_FILE', 'is missing, while NATS_CERTIFICATE_FILE is set');
  const certificate = certificateIn('NATS_CERTIFICATE_FILE', certificateFile);
  const key = parsed('NATS_KEY_FILE', keyFile, 'the file holds no private key', createPrivateKey);
  if (!certificate.checkPrivateKey(key))
    throw new NatsSettingError('NATS_KEY_FILE', 'is not the key of NATS_CERTIFICATE_FILE');
}

function certificateIn(setting: NatsSetting, file: string): X509Certificate {
  return parsed(setting, file, 'the file holds no certificate', (pem) => new X509Certificate(pem));
}

function parsed<T>(setting: NatsSetting, file: string, complaint: string, parse: (pem: Buffer) => T): T {
  const pem = readSettingFile(setting, file);
  try {
    return parse(pem);
  } catch (cause) {
    throw new NatsSettingError(setting, complaint, { cause });
  }
}

/**
 * The client library forgets the host when it is an IP address, and Node then takes it for `localhost`. So a certificate is good when it
 * is for the host, or for one of the IP addresses that the setting names.
 */
function identityCheck(urls: readonly string[]): NatsTls['checkServerIdentity'] {
  const addresses = urls.map((url) => hostOf(url)).filter((host) => isIP(host) !== 0);
  return (host, certificate) => {
    const failure = checkServerIdentity(host, certificate);
    const named = addresses.some((address) => checkServerIdentity(address, certificate) === undefined);
    return named ? undefined : failure;
  };
}

/** The host of an address of NATS, without the brackets of IPv6. */
function hostOf(url: string): string {
  return new URL(url).hostname.replace(/^\[(.*)\]$/, '$1');
}
