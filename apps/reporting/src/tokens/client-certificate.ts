import { createHash } from 'node:crypto';
import { TLSSocket } from 'node:tls';
import type { Socket } from 'node:net';
import type { CallerCertificate } from '../domain/access.js';

/** The client certificate of a connection; undefined unless the TLS layer has verified one. */
export function clientCertificateOf(socket: Socket): CallerCertificate | undefined {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined;
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined) return undefined;
  return {
    commonNames: commonNamesOf(certificate.subject),
    thumbprint: createHash('sha256').update(certificate.raw).digest('base64url'),
  };
}

/** Node writes one attribute a line, `CN=WPGENCO`, and escapes line breaks inside a value. */
function commonNamesOf(subject: string): string[] {
  return subject.split('\n').flatMap((line) => (line.startsWith('CN=') ? [line.slice(3)] : []));
}
