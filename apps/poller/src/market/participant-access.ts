import { dirname, resolve } from 'node:path';
import type { ClientCertificate, TlsFileNames } from '@ssb/net';
import { MARKET_INTERFACES, type MarketInterface } from '@ssb/events';
import type { ClientCredentials } from '@ssb/market';
import type { AccessConfig, CertificateFiles } from '@ssb/config';
import { clientTlsFiles, ConfigurationError, readConfiguredFiles, assertUsableTlsFiles } from '@ssb/platform';
import type { Settings } from '../settings.js';

/** The account of the OAuth client: as texts, or as files that are read again when they change. */
export type CredentialSource =
  | { readonly kind: 'texts'; readonly credentials: ClientCredentials }
  | { readonly kind: 'files'; readonly clientId: string | undefined; readonly files: readonly string[] };

/** How one participant reaches the operator. */
export interface ParticipantAccess {
  readonly credentials: CredentialSource;
  /** Client certificates and authorities by interface. */
  readonly tls: Readonly<Record<MarketInterface | 'token', TlsFileNames>>;
}

/** A file of `access` has no usable content. */
export class UnusableCredentialFileError extends ConfigurationError {
  override readonly name = 'UnusableCredentialFileError';

  constructor(readonly path: string) {
    super(`${path} is empty; it must hold the account or the secret of the OAuth client.`);
  }
}

/** The access of a participant without `access` in CONFIG_FILE: TOKEN_CLIENT_ID, CLIENT_CERT_FILE and so on. @throws ConfigurationError */
export function accessOfSettings(participant: string, settings: Settings): ParticipantAccess {
  const { TOKEN_CLIENT_ID: clientId, TOKEN_CLIENT_SECRET: clientSecret, CONFIG_FILE } = settings;
  if (clientId === undefined || clientSecret === undefined)
    throw new ConfigurationError(
      `The participant ${participant} has no access in ${CONFIG_FILE}: add it there, or set TOKEN_CLIENT_ID and TOKEN_CLIENT_SECRET.`,
    );
  return {
    credentials: { kind: 'texts', credentials: { clientId, clientSecret } },
    tls: {
      token: clientTlsFiles(settings, 'TOKEN'),
      prudential: { ...clientTlsFiles(settings, 'CLIENT'), ca: settings.REPORTING_CA_FILE },
      settlement: settlementFiles(
        clientTlsFiles(settings, 'CLIENT'),
        clientTlsFiles(settings, 'SETTLEMENT'),
        settings,
      ),
    },
  };
}

/** The access that CONFIG_FILE has. Relative paths start at its folder. */
export function accessOfConfig(access: AccessConfig, settings: Settings): ParticipantAccess {
  const folder = dirname(settings.CONFIG_FILE);
  const pathOf = (path: string): string => resolve(folder, path);
  const filesOf = (files: CertificateFiles = {}): TlsFileNames => {
    const [cert, key, pfx, pfxPassword] = [
      files.certFile,
      files.keyFile,
      files.pfxFile,
      files.pfxPasswordFile,
    ].map((path) => (path === undefined ? undefined : pathOf(path)));
    return { cert, key, pfx, pfxPassword };
  };
  const { clientId, clientIdFile, clientSecretFile } = access;
  const credentialFiles = clientIdFile === undefined ? [clientSecretFile] : [clientIdFile, clientSecretFile];
  return {
    credentials: { kind: 'files', clientId, files: credentialFiles.map(pathOf) },
    tls: {
      token: { ...filesOf(access.token), ca: settings.TOKEN_CA_FILE },
      prudential: { ...filesOf(access), ca: settings.REPORTING_CA_FILE },
      settlement: settlementFiles(filesOf(access), filesOf(access.settlement), settings),
    },
  };
}

/**
 * Reads the files of an access that would replace the one in use.
 * @param inUse the client certificates in use
 * @throws UnusableTlsFilesError, UnusableCredentialFileError, or the file system's error
 */
export async function assertUsableFiles(
  { credentials, tls }: ParticipantAccess,
  inUse: (name: MarketInterface | 'token') => ClientCertificate | undefined,
): Promise<void> {
  const names = [...MARKET_INTERFACES, 'token'] as const;
  for (const name of names) await assertUsableTlsFiles(tls[name], inUse(name));
  if (credentials.kind === 'files')
    parseCredentials(credentials, await readConfiguredFiles(credentials.files));
}

/** @param contents of the files of a source, in their order @throws UnusableCredentialFileError */
export function parseCredentials(
  { clientId, files }: Extract<CredentialSource, { readonly kind: 'files' }>,
  contents: readonly Buffer[],
): ClientCredentials {
  const texts = contents.map((content, index) => {
    const text = content.toString('utf8').trim();
    if (text === '') throw new UnusableCredentialFileError(files[index] ?? '');
    return text;
  });
  const [first = '', second = ''] = texts;
  return clientId === undefined
    ? { clientId: first, clientSecret: second }
    : { clientId, clientSecret: first };
}

/** A certificate of the settlement interface replaces that of the other interface. */
function settlementFiles(common: TlsFileNames, own: TlsFileNames, settings: Settings): TlsFileNames {
  const ca = settings.SETTLEMENT_CA_FILE ?? settings.REPORTING_CA_FILE;
  if (own.pfx !== undefined) return { ...own, ca };
  if (own.cert === undefined && own.key === undefined) return { ...common, ca };
  // The same key may have two certificates.
  return { ca, cert: own.cert ?? common.cert, key: own.key ?? common.key };
}
