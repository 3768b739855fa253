import { holds, type Permission, type Scope } from './scope.js';

/** The rights entities of the participants' port. Each operation of document 000 belongs to one of them. */
export const ENTITIES = ['PRUDENTIAL', 'SETTLEMENT'] as const;
export type Entity = (typeof ENTITIES)[number];

/** Why nobody can be told from a connection. */
export const CALLER_REFUSALS = ['certificate-missing', 'certificate-names-nobody'] as const;

/** Why access is refused: the closed list behind a 403 (docs/interfaces.md). */
export const ACCESS_REFUSALS = [
  ...CALLER_REFUSALS,
  'token-missing',
  'token-refused',
  'token-not-bound',
  'token-of-another-certificate',
  'other-participant',
  'scope-missing',
] as const;
export type AccessRefusal = (typeof ACCESS_REFUSALS)[number];

/** Whom the client certificate of the connection names. */
export type CallerVerdict =
  | {
      ok: true;
      participant: string;
      /** SHA-256 of the client certificate, base64url: what a bound token names (RFC 8705 §3.1). */
      thumbprint: string;
    }
  | { ok: false; reason: (typeof CALLER_REFUSALS)[number]; detail: string };

/** What became of the bearer token; who signed it and how long it lives is decided before this point. */
export type TokenVerdict =
  | { ok: true; scopes: readonly Scope[]; boundTo?: string }
  | { ok: false; reason: 'token-missing' | 'token-refused'; detail: string };

export interface AccessQuestion {
  caller: CallerVerdict;
  token: TokenVerdict;
  entity: Entity;
  permission: Permission;
  /** The optional `participantCode` of the query: what a caller names, never what it is trusted for. */
  requestedParticipant: string | undefined;
  /** Whether a token that is bound to no certificate is refused. */
  onlyBoundTokens: boolean;
}

export type AccessVerdict =
  | { allowed: true; participant: string }
  | { allowed: false; reason: AccessRefusal; detail: string };

/**
 * Who is asking, and may they? The participant comes from the certificate alone (document 000, Rules 1 and
 * Authentication); the token must give the permission for that same participant (document 001, Scopes).
 */
export function decideAccess(question: AccessQuestion): AccessVerdict {
  const { caller, token, entity, permission, requestedParticipant, onlyBoundTokens } = question;
  if (!caller.ok) return refused(caller.reason, caller.detail);
  if (!token.ok) return refused(token.reason, token.detail);
  if (token.boundTo === undefined && onlyBoundTokens) {
    return refused(
      'token-not-bound',
      'Only access tokens bound to the client certificate (cnf with x5t#S256, RFC 8705) are taken here.',
    );
  }
  if (token.boundTo !== undefined && token.boundTo !== caller.thumbprint) {
    return refused(
      'token-of-another-certificate',
      'The access token is bound to a client certificate other than the one of this connection.',
    );
  }
  const { participant } = caller;
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

/** Printable characters only: SQL text cannot hold a zero character. Document 000 gives codes at most 60 characters. */
const PARTICIPANT_CODE = /^[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}]{1,60}$/u;

export function isParticipantCode(text: string): boolean {
  return PARTICIPANT_CODE.test(text) && text.trim() === text;
}
