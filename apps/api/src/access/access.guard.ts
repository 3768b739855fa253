import {
  createParamDecorator,
  Injectable,
  SetMetadata,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ProblemException } from '@ssb/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AccessFile } from './access-file.js';
import type { Caller } from './caller.js';

const OPERATOR = 'api:operator';
const ALL_PARTICIPANTS = 'api:all-participants';
const PUBLIC = 'api:public';

/** Only operators. */
export const ForOperators = (): MethodDecorator & ClassDecorator => SetMetadata(OPERATOR, true);
/** Only callers that may see all participants: the rows have no verified participant. */
export const ForAllParticipants = (): MethodDecorator & ClassDecorator => SetMetadata(ALL_PARTICIPANTS, true);
/** No credentials are needed. */
export const ForEveryone = (): MethodDecorator & ClassDecorator => SetMetadata(PUBLIC, true);

type AuthenticatedRequest = FastifyRequest & { caller?: Caller };

/** The caller of the request. */
export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext): Caller => {
  const { caller } = context.switchToHttp().getRequest<AuthenticatedRequest>();
  if (caller === undefined) throw new TypeError('this handler needs no credentials, so it has no caller');
  return caller;
});

/** Identifies the caller of each request, and checks its role. */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly access: AccessFile,
  ) {}

  /** @throws ProblemException 401 without valid credentials, 403 when the role is not enough */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const has = (mark: string): boolean =>
      this.reflector.getAllAndOverride<boolean | undefined>(mark, [
        context.getHandler(),
        context.getClass(),
      ]) === true;
    if (has(PUBLIC)) return true;
    const request = context.switchToHttp().getRequest<AuthenticatedRequest>();
    const caller = await this.access.identify(request);
    if (caller === undefined) {
      void context.switchToHttp().getResponse<FastifyReply>().header('www-authenticate', 'Bearer');
      throw new ProblemException(
        401,
        'Unauthorized',
        'Send a valid token as "Authorization: Bearer …". "busbridge tokens create" makes one.',
      );
    }
    if (has(OPERATOR) && caller.role !== 'operator')
      throw new ProblemException(
        403,
        'Forbidden',
        'This needs the role operator; the credentials have the role viewer.',
      );
    if (has(ALL_PARTICIPANTS) && caller.participants !== 'all')
      throw new ProblemException(403, 'Forbidden', 'This needs access to all participants.');
    request.caller = caller;
    return true;
  }
}
