import { createHash } from 'node:crypto';
import { TLSSocket } from 'node:tls';
import type { Socket } from 'node:net';
import { parseAlternativeNames } from '../domain/alternative-names.js';
import { parseSubjectLines } from '../domain/distinguished-name.js';
import type { CertificateNames } from '../domain/participant-name.js';

/** The certificate that the other side of a connection proved to hold. */
export interface ClientCertificate {
  names: CertificateNames;
  /** SHA-256 of its DER form, base64url (RFC 8705 §3.1). */
  thumbprint: string;
}

/** A connection keeps its certificate for life, so it is read once; the entry goes with the socket. */
const read = new WeakMap<Socket, ClientCertificate>();

/** The client certificate of a connection; undefined unless the TLS layer has verified one. */
export function clientCertificateOf(socket: Socket): ClientCertificate | undefined {
  const known = read.get(socket);
  if (known !== undefined) return known;
  if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined;
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined) return undefined;
  const fresh = {
    names: {
      subject: parseSubjectLines(certificate.subject),
      alternative: parseAlternativeNames(certificate.subjectAltName),
    },
    thumbprint: createHash('sha256').update(certificate.raw).digest('base64url'),
  };
  read.set(socket, fresh);
  return fresh;
}
