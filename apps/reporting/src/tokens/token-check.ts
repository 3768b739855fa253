import type { IncomingMessage } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, ProblemException, type Logger } from '@ssb/platform';
import type { TokenVerdict } from '../domain/access.js';
import type { ReasonOf } from '../domain/problem-reason.js';
import { KeysUnreachableError } from './keys.js';
import { TokenVerifier } from './token-verifier.js';

/** The token of a request, judged; the same at both doors. */
@Injectable()
export class TokenCheck {
  constructor(
    private readonly tokens: TokenVerifier,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /**
   * @param now the moment that the token's lifetime is judged at; the present one when omitted
   * @throws ProblemException 503 while the signing keys cannot be had: that is nobody's refusal
   */
  async of(authorization: string | undefined, now?: Date): Promise<TokenVerdict> {
    try {
      return await this.tokens.verify(authorization, now);
    } catch (error) {
      if (!(error instanceof KeysUnreachableError)) throw error;
      this.log.error({ err: error }, 'no access token can be checked');
      throw new ProblemException(
        503,
        'Service unavailable',
        'Access tokens cannot be checked at the moment: ask again later.',
        { reason: 'tokens-cannot-be-checked' satisfies ReasonOf<503> },
      );
    }
  }
}

const moments = new WeakMap<IncomingMessage, Date>();

/** Has the access token of one request judged at another moment than the present one: a switch for trouble does so. */
export function judgeAt(request: IncomingMessage, moment: Date): void {
  moments.set(request, moment);
}

/** The moment that the request's token is judged at; undefined for the present one. */
export function judgedAt(request: IncomingMessage): Date | undefined {
  return moments.get(request);
}
