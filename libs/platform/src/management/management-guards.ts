import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ManagementAccess } from './management-access.js';

/** Handlers that show the state of the app: they need the right `status`. */
@Injectable()
export class StatusGuard implements CanActivate {
  constructor(private readonly access: ManagementAccess) {}

  /** @throws ProblemException 401 */
  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    const { authorization } = http.getRequest<FastifyRequest>().headers;
    this.access.require(authorization, http.getResponse<FastifyReply>());
    return true;
  }
}

/** Handlers that change something, or show whole events: they need the right `operate`. */
@Injectable()
export class OperateGuard implements CanActivate {
  constructor(private readonly access: ManagementAccess) {}

  /** @throws ProblemException 401, 403 when the app accepts no actions */
  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    const { authorization } = http.getRequest<FastifyRequest>().headers;
    this.access.requireOperate(authorization, http.getResponse<FastifyReply>());
    return true;
  }
}
