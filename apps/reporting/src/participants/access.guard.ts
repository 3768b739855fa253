import {
  createParamDecorator,
  Inject,
  Injectable,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { LOGGER, ProblemException, SETTINGS, type Logger } from '@ssb/platform';
import type { FastifyRequest } from 'fastify';
import { decideAccess } from '../access/access-decision.js';
import { ClientCertificates } from '../access/client-certificates.js';
import { tokenCheckTime, TokenVerifier } from '../access/token-verifier.js';
import type { Settings } from '../settings.js';
import { OperationMetrics } from './operation-metrics.js';
import { Operation } from './operation.decorator.js';
import type { QueryValues } from './parameters/day-window.js';

/** A request of an operation. `AccessGuard` sets the fields when it gives access. */
export interface ParticipantRequest extends FastifyRequest {
  participant?: string;
  /** The id of the operation. */
  operation?: string;
}

/** The participant code of the caller, from the client certificate. */
export const Participant = createParamDecorator(
  (_data: unknown, context: ExecutionContext) =>
    context.switchToHttp().getRequest<ParticipantRequest>().participant,
);

/** Identifies the caller by the client certificate and authorizes the request by its access token. */
@Injectable()
export class AccessGuard implements CanActivate {
  private readonly onlyBoundTokens: boolean;

  constructor(
    private readonly reflector: Reflector,
    private readonly certificates: ClientCertificates,
    private readonly tokens: TokenVerifier,
    @Inject(SETTINGS) settings: Settings,
    @Inject(LOGGER) private readonly log: Logger,
    private readonly metrics: OperationMetrics,
  ) {
    this.onlyBoundTokens = settings.REQUIRE_BOUND_TOKENS;
  }

  /** @throws ProblemException 403, or 503 while tokens cannot be verified */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<ParticipantRequest>();
    const { id: operation, entity } = this.reflector.get(Operation, context.getHandler());
    const token = await this.tokens.verify(request.headers.authorization, tokenCheckTime(request.raw));
    const access = decideAccess({
      caller: this.certificates.identify(request.raw),
      token,
      entity,
      permission: 'R',
      requestedParticipant: requestedParticipant(request.query as QueryValues),
      onlyBoundTokens: this.onlyBoundTokens,
    });
    if (access.allowed) {
      request.participant = access.participant;
      request.operation = operation;
      return true;
    }
    const { reason, detail } = access;
    this.metrics.count(operation, reason);
    this.log.info({ operation, reason }, 'access refused');
    throw new ProblemException(403, 'Forbidden', detail, { reason });
  }
}

/** The optional `participantCode`; without a value it counts as omitted. A repeated one becomes a text that no participant has. */
function requestedParticipant({ participantCode }: QueryValues): string | undefined {
  if (participantCode === undefined || participantCode === '') return undefined;
  return typeof participantCode === 'string' ? participantCode : JSON.stringify(participantCode);
}
