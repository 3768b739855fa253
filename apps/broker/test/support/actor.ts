import { createHash, randomUUID } from 'node:crypto';
import { SigningKey, Wallet } from 'ethers';

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

  private claims(audience: string): Readonly<Record<string, unknown>> {
    const iat = Math.floor(Date.now() / 1000);
    return { iss: this.did, aud: audience, iat, exp: iat + 60, jti: randomUUID() };
  }
}
