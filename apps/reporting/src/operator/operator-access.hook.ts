import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { FAULTS_PATH } from '@ssb/market/admin';
import { ProblemException } from '@ssb/platform';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hasPermission, type Permission } from '../access/scope.js';
import { TokenVerifier } from '../access/token-verifier.js';
import { addBodyParsers, assertBodyFormat } from './request-bodies.js';

const OPERATOR_API = '/operator/';

/** Authorizes each request of the operator API and checks its media type and size before its body is read. */
@Injectable()
export class OperatorAccessHook implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly tokens: TokenVerifier,
  ) {}

  onModuleInit(): void {
    const server = this.host.httpAdapter.getInstance<FastifyInstance>();
    addBodyParsers(server);
    server.addHook('onRequest', async (request, reply) => {
      const route = request.routeOptions.url;
      if (request.is404 || route === undefined || !route.startsWith(OPERATOR_API)) return;
      await this.authorize(request, reply, route);
      if (request.method === 'POST') assertBodyFormat(request.headers, route);
    });
  }

  /** The token must hold the right for the participant identifier OPERATOR (document 001, Scopes 8). */
  private async authorize(request: FastifyRequest, reply: FastifyReply, route: string): Promise<void> {
    const token = await this.tokens.verify(request.headers.authorization);
    if (!token.ok) {
      void reply.header('www-authenticate', challengeFor(token.reason));
      throw new ProblemException(401, 'Unauthorized', token.detail, { reason: token.reason });
    }
    const { entity, permission } = requiredPermission(request.method, route);
    // A bound token is valid only with its certificate (RFC 8705 §3), and this port requests none.
    if (token.boundTo !== undefined || !hasPermission(token.scopes, entity, 'OPERATOR', permission)) {
      throw new ProblemException(
        403,
        'Forbidden',
        `The access token must hold the scope ${entity}|OPERATOR|${permission} and be bound to no client certificate.`,
        { reason: 'scope-missing' },
      );
    }
  }
}

/** RFC 6750 §3.1: no error code where no token was sent. */
function challengeFor(reason: 'token-missing' | 'token-refused'): string {
  return reason === 'token-missing' ? 'Bearer' : 'Bearer error="invalid_token"';
}

/**
 * The permission that a route requires (document 001, Scopes 3 and 8).
 * @param route the declared route; the address as sent can be encoded in many ways
 */
export function requiredPermission(
  method: string,
  route: string,
): { entity: 'MARKETRECORDS' | 'MARKETFAULTS'; permission: Permission } {
  const isFault = route === FAULTS_PATH || route.startsWith(`${FAULTS_PATH}/`);
  return { entity: isFault ? 'MARKETFAULTS' : 'MARKETRECORDS', permission: PERMISSIONS[method] ?? 'U' };
}

const PERMISSIONS: Readonly<Record<string, Permission>> = { GET: 'R', HEAD: 'R', POST: 'C', DELETE: 'D' };
