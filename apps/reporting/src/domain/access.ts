import { holds, type Permission, type Scope } from './scope.js';

/** The rights entities of the two doors. Each operation of document 000 belongs to one of the first two. */
export type Entity = 'PRUDENTIAL' | 'SETTLEMENT' | 'MARKETRECORDS';

/** The certificate of the TLS connection, as far as access depends on it. */
export interface CallerCertificate {
  commonNames: readonly string[];
  /** SHA-256 of the certificate, base64url: what a bound token names (RFC 8705 §3.1). */
  thumbprint: string;
}

/** What became of the bearer token; who signed it and how long it lives is decided before this point. */
export type TokenVerdict =
  | { ok: true; scopes: readonly Scope[]; boundTo?: string }
  | { ok: false; reason: 'token-missing' | 'token-refused'; detail: string };

export interface AccessQuestion {
  certificate: CallerCertificate | undefined;
  token: TokenVerdict;
  entity: Entity;
  permission: Permission;
  /** The optional `participantCode` of the query: what a caller names, never what it is trusted for. */
  requestedParticipant: string | undefined;
}

export type AccessRefusal =
  | 'certificate-names-nobody'
  | 'token-missing'
  | 'token-refused'
  | 'token-of-another-certificate'
  | 'other-participant'
  | 'scope-missing';

export type AccessVerdict =
  { allowed: true; participant: string } | { allowed: false; reason: AccessRefusal; detail: string };

/**
 * Who is asking, and may they? The participant comes from the certificate alone (document 000, Rules 1 and
 * Authentication); the token must give the permission for that same participant (document 001, Scopes).
 */
export function decideAccess(question: AccessQuestion): AccessVerdict {
  const { certificate, token, entity, permission, requestedParticipant } = question;
  const participant = certificate?.commonNames.length === 1 ? certificate.commonNames[0] : undefined;
  if (certificate === undefined || participant === undefined || participant === '') {
    return refused(
      'certificate-names-nobody',
      'The client certificate must carry exactly one common name (CN) in its subject: the participant code.',
    );
  }
  if (!token.ok) return refused(token.reason, token.detail);
  if (token.boundTo !== undefined && token.boundTo !== certificate.thumbprint) {
    return refused(
      'token-of-another-certificate',
      'The access token is bound to a client certificate other than the one of this connection.',
    );
  }
  if (requestedParticipant !== undefined && requestedParticipant !== participant) {
    return refused(
      'other-participant',
      `The certificate is that of ${participant}: participantCode may be left out or be ${participant}, nothing else.`,
    );
  }
  if (!holds(token.scopes, entity, participant, permission)) {
    return refused(
      'scope-missing',
      `The access token does not give ${permission} on ${entity} for ${participant}: a scope such as ${entity}|${participant}|${permission} is needed.`,
    );
  }
  return { allowed: true, participant };
}

function refused(reason: AccessRefusal, detail: string): AccessVerdict {
  return { allowed: false, reason, detail };
}
