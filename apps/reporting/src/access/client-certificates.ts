import { createHash, type X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { Injectable } from '@nestjs/common';
import { isParticipantCode, type CallerVerdict } from './access-decision.js';

/** Identifies the caller by the client certificate of the connection (document 000, Authentication). */
@Injectable()
export class ClientCertificates {
  /** A connection keeps its certificate, so the verdict is cached by socket. */
  private readonly verdicts = new WeakMap<Socket, CallerVerdict>();

  identify({ socket }: IncomingMessage): CallerVerdict {
    const cached = this.verdicts.get(socket);
    if (cached !== undefined) return cached;
    const certificate =
      socket instanceof TLSSocket && socket.authorized ? socket.getPeerX509Certificate() : undefined;
    const verdict = identifyCaller(certificate);
    this.verdicts.set(socket, verdict);
    return verdict;
  }
}

/** The participant code is the only common name of the certificate's subject. */
export function identifyCaller(certificate: X509Certificate | undefined): CallerVerdict {
  if (certificate === undefined) {
    const detail = 'A client certificate of an accepted authority is needed.';
    return { ok: false, reason: 'certificate-missing', detail };
  }
  // Node gives several common names as an array, which its types leave out.
  const name: string | string[] | undefined = certificate.toLegacyObject().subject.CN;
  if (typeof name !== 'string' || !isParticipantCode(name)) {
    const detail =
      'The client certificate must carry exactly one participant code, as the common name of its subject.';
    return { ok: false, reason: 'certificate-without-participant', detail };
  }
  const thumbprint = createHash('sha256').update(certificate.raw).digest('base64url');
  return { ok: true, participant: name, thumbprint };
}
