import { Inject, Injectable } from '@nestjs/common';
import { takeSignInLink, type AccessGrant } from '@ssb/keys';
import { isLoopback } from '@ssb/net';
import { ProblemException, SETTINGS, TokenBuckets } from '@ssb/platform';
import type { FastifyRequest } from 'fastify';
import { TooManyRequestsError } from '../access/caller-limits.js';
import type { Settings } from '../settings.js';

/** Headers that a proxy adds: its client may be elsewhere. */
const PROXY_HEADERS = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'];
/** Attempts at once, and the time after which one more is allowed. */
const MAX_ATTEMPTS = 10;
const ATTEMPT_INTERVAL_MS = 6_000;
const BUCKET = 'link';

/** Signs in with the one-time link of SIGN_IN_LINK_FILE, from this machine only. */
@Injectable()
export class LinkSignIn {
  private readonly attempts = new TokenBuckets({ capacity: MAX_ATTEMPTS, refillMs: ATTEMPT_INTERVAL_MS });

  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  get isConfigured(): boolean {
    return this.settings.SIGN_IN_LINK_FILE !== undefined;
  }

  /**
   * Uses the link up.
   * @returns undefined for a link that is wrong, was used, or has ended
   * @throws ProblemException 403 from another machine, 429
   */
  async take(request: FastifyRequest, token: string): Promise<AccessGrant | undefined> {
    const { SIGN_IN_LINK_FILE: path } = this.settings;
    const { remoteAddress = '' } = request.raw.socket;
    if (!isLoopback(remoteAddress) || PROXY_HEADERS.some((name) => name in request.headers))
      throw new ProblemException(
        403,
        'Forbidden',
        'A one-time link works only in a browser on the machine of the API, without a proxy. Sign in another way.',
      );
    const now = performance.now();
    const waitMs = this.attempts.waitFor(BUCKET, now);
    if (waitMs > 0)
      throw new TooManyRequestsError(
        'Too many attempts in a short time: wait, then open a new link.',
        waitMs,
      );
    this.attempts.take(BUCKET, now);
    return path === undefined ? undefined : takeSignInLink(path, token, new Date());
  }
}
