import { hkdfSync } from 'node:crypto';
import { jwtVerify, SignJWT } from 'jose';
import { LRUCache } from 'lru-cache';
import { parseDid, type Did } from '@ssb/identity';
import { BusError } from '../errors/bus-error.js';

const ALGORITHM = 'HS256';
const ISSUER = 'urn:message-bus:broker';

const MAX_VERIFIED = 10_000;

/** Short-lived bearer tokens (JWT, HS256), valid at every replica with the same secret. */
export class BearerTokens {
  private readonly key: Uint8Array;
  /** Verified tokens. A gateway sends one token many times, so its signature is verified once, its expiry each time. */
  private readonly verified = new LRUCache<string, { readonly did: Did; readonly expiresAt: number }>({
    max: MAX_VERIFIED,
  });

  constructor(
    secret: Buffer,
    private readonly lifetimeMs: number,
    private readonly now: () => Date,
  ) {
    this.key = new Uint8Array(hkdfSync('sha256', secret, '', 'message-bus broker bearer token', 32));
  }

  issue(did: Did): Promise<string> {
    const seconds = Math.floor(this.now().getTime() / 1000);
    return new SignJWT()
      .setProtectedHeader({ alg: ALGORITHM, typ: 'at+jwt' })
      .setSubject(did)
      .setIssuer(ISSUER)
      .setAudience(ISSUER)
      .setIssuedAt(seconds)
      .setExpirationTime(seconds + Math.ceil(this.lifetimeMs / 1000))
      .sign(this.key);
  }

  /**
   * The DID of an `Authorization` header.
   * @throws BusError BUS::UNAUTHENTICATED when it is missing, forged or expired
   */
  async authenticate(authorization: string | undefined): Promise<Did> {
    const token = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
    if (token === undefined) throw new BusError('BUS::UNAUTHENTICATED', 'A bearer token is required.');
    const cached = this.verified.get(token);
    if (cached && this.now().getTime() < cached.expiresAt) return cached.did;
    try {
      const { payload } = await jwtVerify(token, this.key, {
        algorithms: [ALGORITHM],
        issuer: ISSUER,
        audience: ISSUER,
        typ: 'at+jwt',
        currentDate: this.now(),
        requiredClaims: ['sub', 'exp'],
      });
      const did = parseDid(payload.sub ?? '');
      this.verified.set(token, { did, expiresAt: (payload.exp ?? 0) * 1000 });
      return did;
    } catch (cause) {
      throw new BusError('BUS::UNAUTHENTICATED', 'The bearer token is not valid any more.', undefined, {
        cause,
      });
    }
  }
}
