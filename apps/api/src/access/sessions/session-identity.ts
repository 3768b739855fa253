import { accessGrantSchema, type AccessFileContent, type AccessGrant, type AccessToken } from '@ssb/keys';
import { z } from 'zod';
import { grantOf } from '../openid-connect/claims.js';

/** How a person signed in, and what decides at each request whether the session still grants something. */
export const sessionIdentitySchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('access-token'),
    tokenId: z.string(),
    /** Hash and end of the entry: another value means another token. */
    hash: z.string(),
    expiresAt: z.string(),
  }),
  z.strictObject({
    kind: z.literal('openid-connect'),
    issuer: z.string(),
    clientId: z.string(),
    subject: z.string(),
    /** Those that the access file named at the sign-in. */
    claims: z.record(z.string(), z.unknown()),
  }),
  z.strictObject({ kind: z.literal('link'), grant: accessGrantSchema }),
]);
export type SessionIdentity = z.output<typeof sessionIdentitySchema>;

export const SIGN_IN_KINDS = ['access-token', 'openid-connect', 'link'] as const;

/** What a session needs besides the access file. */
export interface SessionConditions {
  /** OPENID_CONNECT_CLIENT_ID. */
  readonly clientId: string | undefined;
  /** Whether SIGN_IN_LINK_FILE is set. */
  readonly hasLinks: boolean;
}

/** A session with this token lasts as long as its entry stays the same. */
export const identityOfToken = ({ id, hash, expiresAt }: AccessToken): SessionIdentity => ({
  kind: 'access-token',
  tokenId: id,
  hash: hash.hash,
  expiresAt,
});

/** The key of the credentials behind a session. Requests with an access token itself have the same. */
export function personOf(identity: SessionIdentity): string {
  switch (identity.kind) {
    case 'access-token':
      return `token ${identity.tokenId}`;
    case 'openid-connect':
      return `subject ${identity.subject}`;
    case 'link':
      return `link ${identity.grant.name}`;
  }
}

/** What the session grants by the present access file; undefined when it has ended. */
export function sessionGrant(
  identity: SessionIdentity,
  { tokens, openIdConnect }: AccessFileContent,
  { clientId, hasLinks }: SessionConditions,
): AccessGrant | undefined {
  switch (identity.kind) {
    case 'access-token':
      return tokens.find(
        ({ id, hash, expiresAt }) =>
          id === identity.tokenId && hash.hash === identity.hash && expiresAt === identity.expiresAt,
      );
    case 'openid-connect':
      if (openIdConnect?.issuer !== identity.issuer || clientId !== identity.clientId) return undefined;
      return grantOf(identity.claims, openIdConnect);
    case 'link':
      return hasLinks ? identity.grant : undefined;
  }
}
