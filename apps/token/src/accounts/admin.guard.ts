import { createHash, timingSafeEqual } from 'node:crypto';
import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { ProblemException } from '@ssb/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Injection token of the secret that opens the admin door. */
export const ADMIN_SECRET = Symbol('ADMIN_SECRET');

/** Lets in whoever shows the admin secret as a bearer token (RFC 6750 §2.1). It has 256 bits, so guesses need no slowing. */
@Injectable()
export class AdminGuard implements CanActivate {
  private readonly expected: Buffer;

  constructor(@Inject(ADMIN_SECRET) secret: Buffer) {
    this.expected = digest(secret);
  }

  canActivate(context: ExecutionContext): boolean {
    const { authorization = '' } = context.switchToHttp().getRequest<FastifyRequest>().headers;
    const [, toAccountView = ''] = /^Bearer +(.+)$/i.exec(authorization) ?? [];
    // Digests have one length, so comparing them tells nothing of the secret's.
    if (timingSafeEqual(digest(Buffer.from(toAccountView)), this.expected)) return true;
    context
      .switchToHttp()
      .getResponse<FastifyReply>()
      .header('www-authenticate', 'Bearer realm="token-admin"');
    throw new ProblemException(
      401,
      'Unauthorized',
      'Send the secret of ADMIN_SECRET_FILE: Authorization: Bearer <secret>.',
    );
  }
}

function digest(secret: Buffer): Buffer {
  return createHash('sha256').update(secret).digest();
}
