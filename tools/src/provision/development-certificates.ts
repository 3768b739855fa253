import { type Authority, createAuthority, type Credential, loadAuthority } from '@ssb/certificates';
import { X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
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
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const getFiles = (name: string): CredentialFiles => ({
    certificate: join(folder, `${name}.pem`),
    key: join(folder, `${name}.key`),
  });
  const caFiles = getFiles('ca');
  const isNewAuthority = !isCurrent(caFiles, now);
  const authority = isNewAuthority
    ? await createAuthority({ name: 'settlement-bus-bridge development CA', now })
    : await loadAuthority(read(caFiles), now);
  if (isNewAuthority) write(caFiles, authority);
  const ensure = async (
    name: string,
    request: Parameters<Authority['issue']>[0],
  ): Promise<CredentialFiles> => {
    const files = getFiles(name);
    if (isNewAuthority || !isCurrent(files, now)) write(files, await authority.issue(request));
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

function write(files: CredentialFiles, credential: Credential): void {
  writeFileSync(files.key, credential.key, { mode: 0o600 });
  writeFileSync(files.certificate, credential.cert, { mode: 0o644 });
}
