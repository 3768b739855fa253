import { type Authority, createAuthority, type Credential, loadAuthority } from '@ssb/dev/certificates';
import { ensurePrivateFolder, writeFileAtomically } from '@ssb/platform';
import { X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';

/** Paths of a certificate and its key. */
export interface CredentialFiles {
  readonly certificate: string;
  readonly key: string;
}

export interface SandboxCertificates {
  /** Path of the authority's certificate. */
  readonly ca: string;
  readonly token: CredentialFiles;
  readonly reporting: CredentialFiles;
  /** Client certificate of the participant; its common name is the participant code. */
  readonly participant: CredentialFiles;
}

export interface CertificateOptions {
  readonly participant: string;
  /** Host names of the token service and of the reporting API, in addition to those of loopback. */
  readonly hosts?: { readonly token: readonly string[]; readonly reporting: readonly string[] };
  /** Host names of further servers. Each gets a certificate. */
  readonly servers?: readonly string[];
  readonly now: Date;
}

const LOOPBACK = ['localhost', '127.0.0.1', '::1'];
const RENEW_BEFORE_MS = 30 * 24 * 3_600_000;

/** Issues the certificates in `folder` that are missing, expire within 30 days, or are not for these hosts. */
export async function ensureSandboxCertificates(
  folder: string,
  { participant, hosts = { token: [], reporting: [] }, servers = [], now }: CertificateOptions,
): Promise<SandboxCertificates> {
  ensurePrivateFolder(folder);
  const getFiles = (name: string): CredentialFiles => ({
    certificate: join(folder, `${name}.pem`),
    key: join(folder, `${name}.key`),
  });
  const caFiles = getFiles('ca');
  const isNewAuthority = !isCurrent(caFiles, now);
  const authority = isNewAuthority
    ? await createAuthority({ name: 'settlement-bus-bridge development CA', now })
    : await loadAuthority(read(caFiles), now);
  if (isNewAuthority) await write(caFiles, authority);
  const ensure = async (
    name: string,
    request: Parameters<Authority['issue']>[0],
  ): Promise<CredentialFiles> => {
    const files = getFiles(name);
    if (isNewAuthority || !isCurrent(files, now, request.hosts))
      await write(files, await authority.issue(request));
    return files;
  };
  for (const host of servers)
    await ensure(host, { commonName: host, hosts: [...LOOPBACK, host], usage: 'server' });
  return {
    ca: caFiles.certificate,
    token: await ensure('token', {
      commonName: 'token service',
      hosts: [...LOOPBACK, ...hosts.token],
      usage: 'server',
    }),
    reporting: await ensure('reporting', {
      commonName: 'reporting API',
      hosts: [...LOOPBACK, ...hosts.reporting],
      usage: 'server',
    }),
    participant: await ensure(`participant-${participant}`, { commonName: participant, usage: 'client' }),
  };
}

function isCurrent({ certificate, key }: CredentialFiles, now: Date, hosts: readonly string[] = []): boolean {
  if (!existsSync(certificate) || !existsSync(key)) return false;
  const current = new X509Certificate(readFileSync(certificate));
  const isForHosts = hosts.every(
    (host) => (isIP(host) === 0 ? current.checkHost(host) : current.checkIP(host)) !== undefined,
  );
  return isForHosts && new Date(current.validTo).getTime() - now.getTime() > RENEW_BEFORE_MS;
}

function read({ certificate, key }: CredentialFiles): Credential {
  return { cert: readFileSync(certificate, 'utf8'), key: readFileSync(key, 'utf8') };
}

async function write(files: CredentialFiles, credential: Credential): Promise<void> {
  await writeFileAtomically(files.key, credential.key);
  await writeFileAtomically(files.certificate, credential.cert);
}
