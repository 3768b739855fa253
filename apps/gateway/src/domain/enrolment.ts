import type { Enrolment, RoleClaim, RoleState } from '@ssb/bus';

/**
 * Document 002, "Enrolment", of what the broker says of a DID's claims. The role of a message broker is not one that a client
 * gateway wants.
 */
export function enrolmentOf(did: string, userRole: string, claims: readonly RoleClaim[]): Enrolment {
  const user: RoleState = claims.find(({ role }) => role === userRole)?.state ?? 'NO_CLAIM';
  return {
    did,
    state: {
      ready: user === 'APPROVED',
      waiting: user === 'AWAITING_APPROVAL',
      roles: { user, messagebroker: 'NOT_WANTED' },
    },
  };
}

/** The issuer's words for the wanted role that the subject's DID document still lacks. A broker without documents gives none. */
export function claimsToAdd(userRole: string, claims: readonly RoleClaim[]): string[] {
  return claims.flatMap(({ role, state, token, inDocument }) =>
    role === userRole && state === 'APPROVED' && token !== undefined && inDocument === false ? [token] : [],
  );
}
