import type { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import type { AccessCertificate } from '@ssb/keys';

/** The client certificate of a connection, which an authority of CLIENT_CA_FILE has signed. */
export function readCertificate({ socket }: IncomingMessage): X509Certificate | undefined {
  return socket instanceof TLSSocket && socket.authorized ? socket.getPeerX509Certificate() : undefined;
}

/** The entry of a certificate; undefined when none, or more than one, names it, or it has expired. */
export function findCertificateEntry(
  entries: readonly AccessCertificate[],
  certificate: X509Certificate,
  now: number,
): AccessCertificate | undefined {
  if (Date.parse(certificate.validTo) <= now) return undefined;
  const names = new Set(listAlternativeNames(certificate).map(normalize));
  const [entry, ...others] = entries.filter(({ subjectAltName }) => names.has(normalize(subjectAltName)));
  return others.length === 0 ? entry : undefined;
}

/** Node quotes a name that could be read as several, as in `DNS:"a, DNS:b"`. */
const NAME = /(?:^|, )([A-Za-z ]+):("(?:[^"\\]|\\.)*"|[^,"]*)(?=, |$)/g;

/** Each as `DNS:<name>`, `email:<address>` or `URI:<address>`. */
function listAlternativeNames({ subjectAltName }: X509Certificate): string[] {
  return [...(subjectAltName ?? '').matchAll(NAME)].map(
    ([, kind = '', text = '']) => `${kind}:${text.startsWith('"') ? unquote(text) : text}`,
  );
}

function unquote(text: string): string {
  const value: unknown = JSON.parse(text);
  return String(value);
}

/** Names of hosts are the same in upper and lower case. */
function normalize(name: string): string {
  return name.startsWith('DNS:') ? `DNS:${name.slice(4).toLowerCase()}` : name;
}
