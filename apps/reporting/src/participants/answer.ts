import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, Metrics, ProblemException, type Logger } from '@ssb/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { decideAccess, type AccessVerdict, type Entity } from '../domain/access.js';
import { chooseMediaType } from '../domain/media-type.js';
import { clientCertificateOf } from '../tokens/client-certificate.js';
import { TokenCheck } from '../tokens/token-check.js';

/** One question of a participant: which rights entity it falls under, and how its document is found. */
export interface Question {
  operation: string;
  entity: Entity;
  request: FastifyRequest;
  reply: FastifyReply;
  /** @returns the stored JSON text. @throws ProblemException 404 when there is nothing, or nothing to ask for */
  find: (participant: string) => Promise<string>;
}

/**
 * The road of every question at the participants' port: who is asking (client certificate) → what may they read
 * (access token) → is it their own → find the document → send its bytes as they were stored.
 */
@Injectable()
export class Answer {
  private readonly answers;

  constructor(
    @Inject(TokenCheck) private readonly tokens: TokenCheck,
    @Inject(LOGGER) private readonly log: Logger,
    @Inject(Metrics) metrics: Metrics,
  ) {
    this.answers = metrics.counter({
      name: 'reporting_answers_total',
      help: 'Answers to participants by operation and outcome: found, not-found, or why access was refused',
      labelNames: ['operation', 'outcome'],
    });
  }

  async to({ operation, entity, request, reply, find }: Question): Promise<void> {
    const access = await this.accessOf(request, entity);
    if (!access.allowed) {
      const { reason, detail } = access;
      this.answers.inc({ operation, outcome: reason });
      this.log.info({ operation, reason }, 'access refused');
      throw new ProblemException(403, 'Forbidden', detail, { reason });
    }
    const document = await find(access.participant).catch((error: unknown) => {
      this.answers.inc({ operation, outcome: error instanceof ProblemException ? 'not-found' : 'failed' });
      throw error;
    });
    this.answers.inc({ operation, outcome: 'found' });
    await reply
      .status(200)
      .header('content-type', `${chooseMediaType(request.headers.accept)}; charset=utf-8`)
      .header('vary', 'accept')
      .header('cache-control', 'no-store')
      .send(`{"data":${document}}`);
  }

  private async accessOf(request: FastifyRequest, entity: Entity): Promise<AccessVerdict> {
    return decideAccess({
      certificate: clientCertificateOf(request.raw.socket),
      token: await this.tokens.of(request.headers.authorization),
      entity,
      permission: 'R',
      requestedParticipant: participantCodeOf(request.query),
    });
  }
}

/** The optional `participantCode`; given several times, all of them together are what the caller names. */
function participantCodeOf(query: unknown): string | undefined {
  if (typeof query !== 'object' || query === null || !('participantCode' in query)) return undefined;
  const { participantCode } = query;
  return Array.isArray(participantCode) ? participantCode.join(',') : String(participantCode);
}
