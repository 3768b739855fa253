import { Inject, Injectable } from '@nestjs/common';
import type { ClientConnection } from '@ssb/net';
import type { AccessGrant, OpenIdConnectAccess } from '@ssb/keys';
import { LOGGER, ProblemException, type Logger } from '@ssb/platform';
import {
  decodeJwt,
  decodeProtectedHeader,
  errors,
  jwtVerify,
  type JWTPayload,
  type JWTVerifyGetKey,
} from 'jose';
import { AccessFile } from '../access-file.js';
import { grantOf } from './claims.js';
import { issuerKeys, IssuerUnavailableError } from './issuer-keys.js';

/** Token of the ClientConnection to the issuer. */
export const ISSUER_CONNECTION = Symbol('ISSUER_CONNECTION');

/** A token with valid signature, issuer, audience and lifetime. */
export interface VerifiedToken {
  readonly subject: string;
  readonly claims: JWTPayload;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
  readonly grant: AccessGrant;
}

/** Signatures by a private key only: a shared secret would make every reader an issuer (RFC 8725 §3.1). */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
/** Types of access tokens (RFC 9068 §2.1); many issuers write JWT or none. */
const TYPES = ['at+jwt', 'application/at+jwt', 'jwt', undefined];
const CLOCK_TOLERANCE_SECONDS = 5;

/** Verifies access tokens of the issuer that the access file names. */
@Injectable()
export class OpenIdConnect {
  private issuer = '';
  private keys: JWTVerifyGetKey = () => Promise.reject(new TypeError('there is no issuer'));

  constructor(
    private readonly file: AccessFile,
    @Inject(ISSUER_CONNECTION) private readonly connection: ClientConnection,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /**
   * Undefined for a token that is not valid here, or grants nothing.
   * @throws ProblemException 503 while the signing keys cannot be read
   */
  async verify(token: string): Promise<VerifiedToken | undefined> {
    const { openIdConnect: access } = this.file.current();
    // The keys of the issuer are never requested because of a token that is for others.
    if (access === undefined || !isForUs(token, access)) return undefined;
    const claims = await this.verifySignature(token, access);
    if (claims?.sub === undefined || claims.exp === undefined) return undefined;
    const grant = grantOf(claims, access);
    if (grant === undefined)
      return this.refuse('a claim for name, role or participants is missing or unknown');
    return { subject: claims.sub, claims, expiresAt: claims.exp * 1_000, grant };
  }

  /** What a token grants now, when the issuer and the audience are still those that it was verified for. */
  grantOf({ claims }: VerifiedToken): AccessGrant | undefined {
    const { openIdConnect: access } = this.file.current();
    if (access === undefined || claims.iss !== access.issuer) return undefined;
    return [claims.aud].flat().includes(access.audience) ? grantOf(claims, access) : undefined;
  }

  private async verifySignature(
    token: string,
    { issuer, audience }: OpenIdConnectAccess,
  ): Promise<JWTPayload | undefined> {
    try {
      const { payload } = await jwtVerify(token, this.keysOf(issuer), {
        issuer,
        audience,
        algorithms: ALGORITHMS,
        requiredClaims: ['exp', 'sub'],
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
      });
      // A bound token needs a proof that the API does not check (RFC 7800 §3.1).
      return payload['cnf'] === undefined ? payload : this.refuse('it is bound to a key (cnf)');
    } catch (error) {
      if (KEY_ERRORS.some((type) => error instanceof type)) throw this.unavailable(error);
      if (error instanceof errors.JOSEError) return this.refuse(error.message);
      throw error;
    }
  }

  /** The response does not say why, so the log does. */
  private refuse(reason: string): undefined {
    this.log.debug({ reason }, 'access token refused');
    return undefined;
  }

  private keysOf(issuer: string): JWTVerifyGetKey {
    if (issuer !== this.issuer) {
      this.issuer = issuer;
      this.keys = issuerKeys(issuer, this.connection);
    }
    return this.keys;
  }

  private unavailable(err: unknown): ProblemException {
    this.log.error({ err }, 'signing keys cannot be read');
    return new ProblemException(
      503,
      'Service unavailable',
      'Access tokens cannot be checked at the moment: retry later.',
    );
  }
}

/** Errors after which no verdict on a token is possible. */
const KEY_ERRORS = [IssuerUnavailableError, errors.JWKSTimeout, errors.JWKSInvalid];

/** Whether an unverified token claims to be of this issuer. */
function isForUs(token: string, { issuer }: OpenIdConnectAccess): boolean {
  try {
    const { alg = '', typ } = decodeProtectedHeader(token);
    return ALGORITHMS.includes(alg) && TYPES.includes(typ?.toLowerCase()) && decodeJwt(token).iss === issuer;
  } catch {
    return false;
  }
}
