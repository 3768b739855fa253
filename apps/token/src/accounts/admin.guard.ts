import { createHash, timingSafeEqual } from 'node:crypto';
import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { ProblemException } from '@ssb/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Injection token of the secret of the admin API. */
export const ADMIN_SECRET = Symbol('ADMIN_SECRET');

/** Requires the admin secret as a bearer token (RFC 6750 §2.1). Its 256 bits need no throttling of guesses. */
@Injectable()
export class AdminGuard implements CanActivate {
  private readonly expected: Buffer;

  constructor(@Inject(ADMIN_SECRET) secret: Buffer) {
    this.expected = sha256(secret);
  }

  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    const { authorization = '' } = http.getRequest<FastifyRequest>().headers;
    const [, token = ''] = /^Bearer +(.+)$/i.exec(authorization) ?? [];
    // Digests have the same length, so the comparison does not reveal the length of the secret.
    if (timingSafeEqual(sha256(Buffer.from(token)), this.expected)) return true;
    http.getResponse<FastifyReply>().header('www-authenticate', 'Bearer realm="token-admin"');
    throw new ProblemException(
      401,
      'Unauthorized',
      'Send the secret of ADMIN_SECRET_FILE: Authorization: Bearer <secret>.',
    );
  }
}

function sha256(data: Buffer): Buffer {
  return createHash('sha256').update(data).digest();
}
