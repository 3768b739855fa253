import { GatewayClient } from '@ssb/bus';
import { BrokerAdmin } from '@ssb/bus/provisioning';
import { parsePrivateKey } from '@ssb/identity';
import { parsePasswordRing } from '@ssb/keys';
import { listTlsFiles, NoProxyList, parseTlsFiles, type ClientConnection, type TlsFileNames } from '@ssb/net';
import {
  clientTlsFiles,
  ConfigurationError,
  parseConfiguredFile,
  readConfiguredFile,
  readConfiguredFiles,
  readEncryptedFile,
  readSecretFile,
  type SettingsOf,
} from '@ssb/platform';
import type { brokerSettings, provisionSettings } from '../settings.js';

export type ProvisionSettings = SettingsOf<typeof provisionSettings>;
export type BrokerSettings = SettingsOf<typeof brokerSettings>;

export const SIDES = ['publisher', 'subscriber'] as const;
export type Side = (typeof SIDES)[number];

const REQUEST_TIMEOUT_MS = 15_000;

/** A client of a gateway for its administrator. The caller closes it. @throws ConfigurationError, and errors of its files */
export async function openGateway(
  settings: ProvisionSettings,
  side: Side,
  timeoutMs = REQUEST_TIMEOUT_MS,
): Promise<GatewayClient> {
  const [baseUrl, passwordFile] =
    side === 'publisher'
      ? [settings.GATEWAY_PUBLISHER_URL, settings.GATEWAY_PUBLISHER_ADMIN_PASSWORD_FILE]
      : [settings.GATEWAY_SUBSCRIBER_URL, settings.GATEWAY_SUBSCRIBER_ADMIN_PASSWORD_FILE];
  const content = await readConfiguredFile(passwordFile);
  const ring = parseConfiguredFile(passwordFile, () => parsePasswordRing(content));
  return new GatewayClient({
    baseUrl,
    username: settings.GATEWAY_ADMIN_USERNAME,
    password: ring.activeAt(new Date()).secret,
    timeoutMs,
    connections: 1,
    connection: await openConnection(clientTlsFiles(settings, 'GATEWAY'), settings),
  });
}

/** A client of our own broker; undefined without BROKER_URL and ISSUER_KEY_FILE. @throws ConfigurationError when one is missing */
export async function openBroker(
  settings: BrokerSettings,
  timeoutMs = REQUEST_TIMEOUT_MS,
): Promise<BrokerAdmin | undefined> {
  const { BROKER_URL: baseUrl, ISSUER_KEY_FILE: keyFile, ISSUER_KEY_SECRET_FILE: secretFile } = settings;
  if (baseUrl === undefined && keyFile === undefined) return undefined;
  if (baseUrl === undefined || keyFile === undefined || secretFile === undefined)
    throw new ConfigurationError(
      'Our own broker needs BROKER_URL, ISSUER_KEY_FILE and ISSUER_KEY_SECRET_FILE: set all of them, or none to check an external bus.',
    );
  const content = await readEncryptedFile(keyFile, await readSecretFile(secretFile));
  return new BrokerAdmin({
    baseUrl,
    key: parseConfiguredFile(keyFile, () => parsePrivateKey(content.toString('utf8'))),
    audience: settings.BROKER_AUDIENCE,
    userRole: settings.USER_ROLE,
    didMethod: settings.DID_METHOD,
    timeoutMs,
    connection: await openConnection({ ca: settings.BROKER_CA_FILE }, settings),
  });
}

/** The files are read once. */
async function openConnection(
  files: TlsFileNames,
  {
    HTTPS_PROXY: url,
    NO_PROXY: except = NoProxyList.EMPTY,
  }: Pick<BrokerSettings, 'HTTPS_PROXY' | 'NO_PROXY'>,
): Promise<ClientConnection> {
  const contents = await readConfiguredFiles(listTlsFiles(files));
  return {
    tls: parseTlsFiles(files, contents).material,
    ...(url !== undefined && { proxy: { url, except } }),
  };
}
