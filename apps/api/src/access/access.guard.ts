import {
  createParamDecorator,
  Injectable,
  SetMetadata,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { RouteConfig } from '@nestjs/platform-fastify';
import { Metrics, ProblemException } from '@ssb/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { onceClosed } from '../http/once-closed.js';
import { METRICS } from '../metrics.js';
import { Authenticator } from './authenticator.js';
import { CallerLimits } from './caller-limits.js';
import type { Caller } from './caller.js';
import { readCookie, SESSION_COOKIE } from './sessions/session-cookie.js';

const OPERATOR = 'api:operator';
const ALL_PARTICIPANTS = 'api:all-participants';
const PUBLIC = 'api:public';
const LASTING = 'api:lasting';

/** Only operators. */
export const ForOperators = (): MethodDecorator & ClassDecorator => SetMetadata(OPERATOR, true);
/** Only callers that may see all participants: the rows have no verified participant. */
export const ForAllParticipants = (): MethodDecorator & ClassDecorator => SetMetadata(ALL_PARTICIPANTS, true);
/** No credentials are needed. */
export const ForEveryone = (): MethodDecorator & ClassDecorator => SetMetadata(PUBLIC, true);
/** The response lasts, so it is not one of the requests that run at once. The handler bounds and ends it (`Authenticator.watch`). */
export const LastingResponse = (): MethodDecorator => RouteConfig({ [LASTING]: true });
/** Whether the handler of the request has a response that lasts. */
export const isLasting = ({ routeOptions }: FastifyRequest): boolean => LASTING in routeOptions.config;

type AuthenticatedRequest = FastifyRequest & { caller?: Caller };

/** The caller of the request. */
export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext): Caller => {
  const { caller } = context.switchToHttp().getRequest<AuthenticatedRequest>();
  if (caller === undefined) throw new TypeError('this handler needs no credentials, so it has no caller');
  return caller;
});

/** Identifies the caller of each request, limits its requests, and checks its role. */
@Injectable()
export class AccessGuard implements CanActivate {
  private readonly unauthorized;

  constructor(
    private readonly reflector: Reflector,
    private readonly authenticator: Authenticator,
    private readonly limits: CallerLimits,
    metrics: Metrics,
  ) {
    this.unauthorized = metrics.counter(METRICS.unauthorized);
  }

  /** @throws ProblemException 401 without valid credentials, 403 when the role is not enough, 429 beyond a limit */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const has = (mark: string): boolean =>
      this.reflector.getAllAndOverride<boolean | undefined>(mark, [
        context.getHandler(),
        context.getClass(),
      ]) === true;
    if (has(PUBLIC)) return true;
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    // A known session counts before the database is asked for it.
    const knownKey = this.authenticator.knownKeyOf(request);
    if (knownKey !== undefined) this.admit(knownKey, reply, isLasting(request));
    const caller = await this.authenticator.authenticate(request);
    if (caller === undefined) {
      const { authorization, cookie } = request.headers;
      const isMissing = authorization === undefined && readCookie(cookie, SESSION_COOKIE) === undefined;
      this.unauthorized.inc({ credentials: isMissing ? 'missing' : 'invalid' });
      throw unauthorized(reply, isMissing);
    }
    const key = this.authenticator.keyOf(caller);
    if (key !== knownKey) this.admit(key, reply, isLasting(request));
    if (has(OPERATOR) && caller.role !== 'operator')
      throw forbidden(reply, 'This needs the role operator; the credentials have the role viewer.');
    if (has(ALL_PARTICIPANTS) && caller.participants !== 'all')
      throw forbidden(reply, 'This needs access to all participants.');
    request.caller = caller;
    return true;
  }

  private admit(key: string, reply: FastifyReply, lasts: boolean): void {
    this.limits.take(key);
    if (lasts) return;
    onceClosed(reply.raw, this.limits.start(key));
  }
}

/** The same for all credentials that are not valid. RFC 6750 §3.1: a request without any gets no error code. */
function unauthorized(reply: FastifyReply, isMissing: boolean): ProblemException {
  const challenge = isMissing ? 'Bearer' : 'Bearer error="invalid_token"';
  void reply.header('www-authenticate', challenge);
  return new ProblemException(
    401,
    'Unauthorized',
    'Send a valid token as "Authorization: Bearer …", sign in to the console, or use a client certificate that the API knows. "busbridge tokens create" makes a token.',
  );
}

function forbidden(reply: FastifyReply, detail: string): ProblemException {
  void reply.header('www-authenticate', 'Bearer error="insufficient_scope"');
  return new ProblemException(403, 'Forbidden', detail);
}
