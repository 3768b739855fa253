import { X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAuthority, loadAuthority, type Authority, type Credential } from '@ssb/certificates';

/** Files of a certificate and its key. */
export interface CredentialFiles {
  readonly certificate: string;
  readonly key: string;
}

export interface DevelopmentCertificates {
  /** Certificate of the development authority. */
  readonly ca: string;
  readonly token: CredentialFiles;
  readonly reporting: CredentialFiles;
  /** Client certificate of the participant; its common name is the participant code. */
  readonly participant: CredentialFiles;
}

const LOOPBACK = ['localhost', '127.0.0.1', '::1'];
const RENEW_BEFORE_MS = 30 * 24 * 3_600_000;

/** Makes what is missing or about to expire in `folder`, and leaves the rest alone. */
export async function ensureDevelopmentCertificates(
  folder: string,
  participant: string,
  now: Date,
): Promise<DevelopmentCertificates> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const files = (name: string): CredentialFiles => ({
    certificate: join(folder, `${name}.pem`),
    key: join(folder, `${name}.key`),
  });
  const caFiles = files('ca');
  const renewed = !isCurrent(caFiles, now);
  const authority = renewed
    ? await createAuthority({ name: 'settlement-bus-bridge development CA', now })
    : await loadAuthority(read(caFiles), now);
  if (renewed) write(caFiles, authority);
  const ensure = async (
    name: string,
    issue: (authority: Authority) => Promise<Credential>,
  ): Promise<CredentialFiles> => {
    const target = files(name);
    if (renewed || !isCurrent(target, now)) write(target, await issue(authority));
    return target;
  };
  return {
    ca: caFiles.certificate,
    token: await ensure('token', (ca) =>
      ca.issue({ commonName: 'token service', hosts: LOOPBACK, usage: 'server' }),
    ),
    reporting: await ensure('reporting', (ca) =>
      ca.issue({ commonName: 'reporting API', hosts: LOOPBACK, usage: 'server' }),
    ),
    participant: await ensure(`participant-${participant}`, (ca) =>
      ca.issue({ commonName: participant, usage: 'client' }),
    ),
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
