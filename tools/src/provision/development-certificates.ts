import { type Authority, createAuthority, type Credential, loadAuthority } from '@ssb/certificates';
import { ensurePrivateFolder, writeFileAtomically } from '@ssb/platform';
import { X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Paths of a certificate and its key. */
export interface CredentialFiles {
  readonly certificate: string;
  readonly key: string;
}

export interface DevelopmentCertificates {
  /** Path of the development authority's certificate. */
  readonly ca: string;
  readonly token: CredentialFiles;
  readonly reporting: CredentialFiles;
  /** Client certificate of the participant; its common name is the participant code. */
  readonly participant: CredentialFiles;
}

const LOOPBACK = ['localhost', '127.0.0.1', '::1'];
const RENEW_BEFORE_MS = 30 * 24 * 3_600_000;

/** Issues the certificates in `folder` that are missing or expire within 30 days. */
export async function ensureDevelopmentCertificates(
  folder: string,
  participant: string,
  now: Date,
): Promise<DevelopmentCertificates> {
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
    if (isNewAuthority || !isCurrent(files, now)) await write(files, await authority.issue(request));
    return files;
  };
  return {
    ca: caFiles.certificate,
    token: await ensure('token', { commonName: 'token service', hosts: LOOPBACK, usage: 'server' }),
    reporting: await ensure('reporting', { commonName: 'reporting API', hosts: LOOPBACK, usage: 'server' }),
    participant: await ensure(`participant-${participant}`, { commonName: participant, usage: 'client' }),
  };
}

function isCurrent({ certificate, key }: CredentialFiles, now: Date): boolean {
  if (!existsSync(certificate) || !existsSync(key)) return false;
  const expires = new Date(new X509Certificate(readFileSync(certificate)).validTo);
  return expires.getTime() - now.getTime() > RENEW_BEFORE_MS;
}

function read({ certificate, key }: CredentialFiles): Credential {
  return { cert: readFileSync(certificate, 'utf8'), key: readFileSync(key, 'utf8') };
}

async function write(files: CredentialFiles, credential: Credential): Promise<void> {
  await writeFileAtomically(files.key, credential.key);
  await writeFileAtomically(files.certificate, credential.cert);
}
