import { Inject, Injectable } from '@nestjs/common';
import { takeSignInLink, type AccessGrant } from '@ssb/keys';
import { isLoopback } from '@ssb/net';
import { ProblemException, SETTINGS, TokenBuckets } from '@ssb/platform';
import type { FastifyRequest } from 'fastify';
import { TooManyRequestsError } from '../access/caller-limits.js';
import type { Settings } from '../settings.js';

/** Headers that a proxy adds: its client may be elsewhere. */
const PROXY_HEADERS = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'];
/** Wrong links: ten at once, then ten a minute. */
const FAILURES = { capacity: 10, refillMs: 6_000 };
const BUCKET = 'link';

/** Signs in with the one-time link of SIGN_IN_LINK_FILE, from this machine only. */
@Injectable()
export class LinkSignIn {
  private readonly failures = new TokenBuckets(FAILURES);

  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  get isConfigured(): boolean {
    return this.settings.SIGN_IN_LINK_FILE !== undefined;
  }

  /**
   * Uses the link up. Wrong attempts never delay the right one.
   * @returns undefined for a link that is wrong, was used, or has ended
   * @throws ProblemException 403 from another machine or for the name of another host, 429 for a wrong link after many others
   */
  async take(request: FastifyRequest, token: string): Promise<AccessGrant | undefined> {
    const { SIGN_IN_LINK_FILE: path } = this.settings;
    const { remoteAddress = '' } = request.raw.socket;
    // A page of another site can give its own name the address of this machine.
    const isLocal = isLoopback(remoteAddress) && isLoopback(request.hostname);
    if (!isLocal || PROXY_HEADERS.some((name) => name in request.headers))
      throw new ProblemException(
        403,
        'Forbidden',
        'A one-time link works only in a browser on the machine of the API, at its loopback address and without a proxy. Sign in another way.',
      );
    const grant = path === undefined ? undefined : await takeSignInLink(path, token, new Date());
    if (grant !== undefined) return grant;
    const now = performance.now();
    const waitMs = this.failures.waitFor(BUCKET, now);
    if (waitMs > 0)
      throw new TooManyRequestsError(
        'Too many attempts in a short time: wait, then open a new link.',
        waitMs,
      );
    this.failures.take(BUCKET, now);
    return undefined;
  }
}
