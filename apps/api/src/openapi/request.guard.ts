import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { InvalidRequestError, unknownField } from '@ssb/platform';
import type { FastifyRequest } from 'fastify';
import { notAcceptable, preferredType } from '../http/media-types.js';
import { ApiDocument } from './api-document.js';

/** Served whatever the caller accepts. */
const SCHEMA_TYPE = 'application/schema+json';
const MAX_FAULTS = 20;

/** Refuses query parameters that the OpenAPI document does not have, and a caller that accepts no form of the response. */
@Injectable()
export class RequestGuard implements CanActivate {
  constructor(private readonly document: ApiDocument) {}

  /** @throws InvalidRequestError, ProblemException 406 */
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const operation = this.document.find(request.method, request.routeOptions.url);
    if (operation === undefined) return true;
    const { parameters, mediaTypes } = operation;
    const faults = Object.keys(request.query as object)
      .filter((name) => !parameters.includes(name))
      .map((name) => unknownField(name, parameters));
    if (faults.length > 0) throw new InvalidRequestError(faults.slice(0, MAX_FAULTS));
    if (!mediaTypes.includes(SCHEMA_TYPE) && preferredType(request, mediaTypes) === undefined)
      throw notAcceptable(mediaTypes);
    return true;
  }
}
