import { createHash, createPrivateKey, randomUUID, sign } from 'node:crypto';
import { SigningKey, Wallet } from 'ethers';

const ORDER = BigInt('0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141');

/** An identity that signs with ethers, independent of the code under test. */
export class Actor {
  readonly wallet = new Wallet(
    new SigningKey(`0x${createHash('sha256').update(randomUUID()).digest('hex')}`).privateKey,
  );

  constructor(private readonly method = 'ethr') {}

  get did(): string {
    return `did:${this.method}:${this.wallet.address}`;
  }

  /** EIP-191 over the payload. */
  sign(payload: string): string {
    return this.wallet.signMessageSync(payload);
  }

  /** Compact JWS, ES256K (RFC 8812): r‖s over the SHA-256 of the signing input. */
  jws(claims: Readonly<Record<string, unknown>>, typ: string | null = 'JWT'): string {
    const input = [{ alg: 'ES256K', ...(typ !== null && { typ }) }, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    const digest = `0x${createHash('sha256').update(input).digest('hex')}`;
    const { r, s } = this.wallet.signingKey.sign(digest);
    return `${input}.${Buffer.from(r.slice(2) + s.slice(2), 'hex').toString('base64url')}`;
  }

  /** The same JWS twice, signed by OpenSSL as JOSE libraries do: as it came, with high s, and with s replaced by the low one. */
  joseTwins(claims: Readonly<Record<string, unknown>>, typ: string): { high: string; low: string } {
    const input = this.jws(claims, typ).split('.').slice(0, 2).join('.');
    const key = createPrivateKey({ key: this.toJwk(), format: 'jwk' });
    for (let attempt = 0; attempt < 1_000; attempt += 1) {
      const signature = sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' });
      const s = BigInt(`0x${signature.toString('hex', 32)}`);
      if (s <= ORDER / 2n) continue;
      const lowS = Buffer.from((ORDER - s).toString(16).padStart(64, '0'), 'hex');
      const low = Buffer.concat([signature.subarray(0, 32), lowS]);
      return {
        high: `${input}.${signature.toString('base64url')}`,
        low: `${input}.${low.toString('base64url')}`,
      };
    }
    throw new Error('OpenSSL made no signature with high s');
  }

  /** `typ` null leaves the type out. */
  identityToken(
    audience: string,
    claims: Readonly<Record<string, unknown>> = {},
    typ: string | null = 'JWT',
  ): string {
    return this.jws({ ...this.claims(audience), ...claims }, typ);
  }

  /** An issuer's decision on a role: the claims of an identity token and more, with another type. */
  decision(audience: string, claims: Readonly<Record<string, unknown>>): string {
    return this.jws({ ...this.claims(audience), ...claims }, 'role-decision+jwt');
  }

  private toJwk(): { kty: string; crv: string; d: string; x: string; y: string } {
    const { privateKey, publicKey } = this.wallet.signingKey;
    const encode = (hex: string) => Buffer.from(hex, 'hex').toString('base64url');
    const [x, y] = [encode(publicKey.slice(4, 68)), encode(publicKey.slice(68))];
    return { kty: 'EC', crv: 'secp256k1', d: encode(privateKey.slice(2)), x, y };
  }

  claims(audience: string): Readonly<Record<string, unknown>> {
    const iat = Math.floor(Date.now() / 1000);
    return { iss: this.did, aud: audience, iat, exp: iat + 60, jti: randomUUID() };
  }
}
