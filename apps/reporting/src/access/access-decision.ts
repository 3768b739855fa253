import { hasPermission, type Permission, type Scope } from './scope.js';

/** The rights entities of the participants' port. Each operation of document 000 belongs to one of them. */
export const ENTITIES = ['PRUDENTIAL', 'SETTLEMENT'] as const;
export type Entity = (typeof ENTITIES)[number];

/** Why a connection identifies no participant. */
export const CALLER_REFUSALS = ['certificate-missing', 'certificate-without-participant'] as const;

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

/** The participant that the client certificate of the connection names. */
export type CallerVerdict =
  | {
      ok: true;
      participant: string;
      /** SHA-256 of the client certificate, base64url. A bound token names it (RFC 8705 §3.1). */
      thumbprint: string;
    }
  | { ok: false; reason: (typeof CALLER_REFUSALS)[number]; detail: string };

/** The verdict on the signature, claims and lifetime of the bearer token. */
export type TokenVerdict =
  | { ok: true; scopes: readonly Scope[]; boundTo?: string }
  | { ok: false; reason: 'token-missing' | 'token-refused'; detail: string };

export interface AccessRequest {
  caller: CallerVerdict;
  token: TokenVerdict;
  entity: Entity;
  permission: Permission;
  /** The optional `participantCode` of the query. It never identifies the caller. */
  requestedParticipant: string | undefined;
  /** Whether a token that is bound to no certificate is refused. */
  onlyBoundTokens: boolean;
}

export type AccessVerdict =
  | { allowed: true; participant: string }
  | { allowed: false; reason: AccessRefusal; detail: string };

/**
 * The certificate alone names the participant (document 000, Rules 1 and Authentication).
 * The token must give the permission for that participant (document 001, Scopes).
 */
export function decideAccess(request: AccessRequest): AccessVerdict {
  const { caller, token, entity, permission, requestedParticipant, onlyBoundTokens } = request;
  if (!caller.ok) return refused(caller.reason, caller.detail);
  if (!token.ok) return refused(token.reason, token.detail);
  if (token.boundTo === undefined && onlyBoundTokens) {
    return refused(
      'token-not-bound',
      'Only access tokens bound to the client certificate (cnf with x5t#S256, RFC 8705) are accepted here.',
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
      `The certificate belongs to ${participant}: leave out participantCode, or send ${participant}.`,
    );
  }
  if (!hasPermission(token.scopes, entity, participant, permission)) {
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

/** Document 000 allows 60 characters. They are printable, because SQL text cannot hold a zero character. */
const PARTICIPANT_CODE = /^[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}]{1,60}$/u;

export function isParticipantCode(text: string): boolean {
  return PARTICIPANT_CODE.test(text) && text.trim() === text;
}
