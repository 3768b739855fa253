import { createHmac, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { ConsoleKey, isSameText } from '../access/sessions/console-key.js';
import { SignInError } from './sign-in-error.js';

export const SIGN_IN_SECONDS = 600;
const MAX_USED = 10_000;

/** What one sign-in at the issuer needs. Each value has 256 bits, and none shows another. */
export interface OneTimeValues {
  readonly state: string;
  readonly nonce: string;
  /** Of PKCE (RFC 7636 §4.1). */
  readonly codeVerifier: string;
}

/** A sign-in that has begun. */
export interface PendingSignIn {
  /** Random, which the issuer does not see. */
  readonly secret: string;
  readonly values: OneTimeValues;
  /** Hash of the session that the browser had at the start: it sends its cookie in no request that the issuer causes. */
  readonly previousSession: string | undefined;
}

/**
 * The cookie of a browser between the start of a sign-in and the return from the issuer: random text, time and previous session, signed.
 * The API stores nothing for a sign-in that has not ended.
 */
@Injectable()
export class SignInCookie {
  private readonly used = new LRUCache<string, true>({ max: MAX_USED, ttl: SIGN_IN_SECONDS * 1_000 });

  constructor(private readonly key: ConsoleKey) {}

  async create(previousSession: string | undefined, now: number): Promise<{ value: string } & PendingSignIn> {
    const secret = randomBytes(32).toString('base64url');
    const value = await this.key.sign('sign-in', [secret, now, previousSession ?? ''].join('.'));
    return { value, secret, values: deriveOneTimeValues(secret), previousSession };
  }

  /**
   * The sign-in that the state of a return belongs to.
   * @throws SignInError for a cookie that was invented, is too old, or belongs to another state
   */
  async find(value: string | undefined, state: string, now: number): Promise<PendingSignIn> {
    const text = value === undefined ? undefined : await this.key.verify('sign-in', value);
    const [secret, startedAt, previousSession = ''] = text?.split('.') ?? [];
    if (secret === undefined) throw new SignInError('expired', 'the browser has no cookie of a sign-in');
    if (now - Number(startedAt) > SIGN_IN_SECONDS * 1_000)
      throw new SignInError('expired', 'the cookie of the sign-in is too old');
    const values = deriveOneTimeValues(secret);
    if (!isSameText(state, values.state))
      throw new SignInError('expired', 'the state is not that of the cookie');
    return { secret, values, previousSession: previousSession === '' ? undefined : previousSession };
  }

  /** A sign-in ends once at a replica. @throws SignInError */
  use({ secret }: PendingSignIn): void {
    if (this.used.has(secret)) throw new SignInError('expired', 'the sign-in has ended already');
    this.used.set(secret, true);
  }
}

function deriveOneTimeValues(secret: string): OneTimeValues {
  const derive = (label: string): string => createHmac('sha256', secret).update(label).digest('base64url');
  return { state: derive('state'), nonce: derive('nonce'), codeVerifier: derive('code_verifier') };
}
