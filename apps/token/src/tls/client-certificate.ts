import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/**
 * The `x5t#S256` of the connection's client certificate (RFC 8705 §3.1): SHA-256 of its DER, base64url. Undefined unless there is
 * one that the authorities of CLIENT_CA_FILE vouch for.
 */
export function clientCertificateThumbprint(socket: Socket): string | undefined {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined;
  const certificate = socket.getPeerX509Certificate();
  return certificate && createHash('sha256').update(certificate.raw).digest('base64url');
}
