import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, Metrics, ProblemException, SETTINGS, type Logger } from '@ssb/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { decideAccess, type TokenVerdict } from '../access/access-decision.js';
import { chooseMediaType } from './media-type.js';
import { Records } from '../records/record-store.js';
import type { Settings } from '../settings.js';
import { Callers } from '../access/client-certificates.js';
import { tokenCheckTime, TokenVerifier } from '../access/token-verifier.js';
import type { Asked, Operation, Success } from './operation.js';

/**
 * Every request of the participants' port: identify the caller (client certificate) → check the rights (access token) → only the caller's own
 * → find the document → send its bytes as they were stored.
 */
@Injectable()
export class Answer {
  private readonly answers;
  private readonly onlyBoundTokens: boolean;

  constructor(
    private readonly records: Records,
    private readonly callers: Callers,
    private readonly tokens: TokenVerifier,
    @Inject(SETTINGS) settings: Settings,
    @Inject(LOGGER) private readonly log: Logger,
    metrics: Metrics,
  ) {
    this.onlyBoundTokens = settings.REQUIRE_BOUND_TOKENS;
    this.answers = metrics.counter({
      name: 'reporting_answers_total',
      help: 'Answers to participants by operation and outcome: found, not-found, failed, or why access was refused',
      labelNames: ['operation', 'outcome'],
    });
  }

  /** @throws ProblemException 403, 404 or 503, before anything of the reply is sent */
  async to(operation: Operation, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const token = await this.tokens.verify(request.headers.authorization, tokenCheckTime(request.raw));
    const participant = this.letIn(operation, request, token);
    const asked = { path: request.params, query: request.query } as Asked;
    const body = await this.find(operation, participant, asked);
    this.answers.inc({ operation: operation.id, outcome: 'found' });
    void reply.status(200).header('cache-control', 'no-store');
    send(operation.success, asked, body, request, reply);
  }

  private async find(operation: Operation, participant: string, asked: Asked): Promise<Uint8Array> {
    try {
      return await operation.find(this.records, participant, asked);
    } catch (error) {
      const outcome = error instanceof ProblemException ? 'not-found' : 'failed';
      this.answers.inc({ operation: operation.id, outcome });
      throw error;
    }
  }

  private letIn(operation: Operation, request: FastifyRequest, token: TokenVerdict): string {
    const access = decideAccess({
      caller: this.callers.of(request.raw),
      token,
      entity: operation.entity,
      permission: 'R',
      requestedParticipant: participantCodeOf(request.query as Asked['query']),
      onlyBoundTokens: this.onlyBoundTokens,
    });
    if (access.allowed) return access.participant;
    const { reason, detail } = access;
    this.answers.inc({ operation: operation.id, outcome: reason });
    this.log.info({ operation: operation.id, reason }, 'access refused');
    throw new ProblemException(403, 'Forbidden', detail, { reason });
  }
}

function send(
  success: Success,
  asked: Asked,
  body: Uint8Array,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  switch (success.kind) {
    case 'document':
      void reply
        .header('content-type', `${chooseMediaType(request.headers.accept)}; charset=utf-8`)
        .header('vary', 'accept')
        .send(body);
      return;
    case 'pdf':
      void reply
        .header('content-type', 'application/pdf')
        .header('content-disposition', `inline; filename="${success.fileName(asked)}"`)
        .send(body);
      return;
    default:
      success satisfies never;
  }
}

/** The optional `participantCode`; given several times, all of them together are what the caller names. */
function participantCodeOf({ participantCode }: Asked['query']): string | undefined {
  if (participantCode === undefined || typeof participantCode === 'string') return participantCode;
  return JSON.stringify(participantCode);
}
