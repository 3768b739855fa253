import { Inject, Injectable } from '@nestjs/common';
import { MalformedJsonError, parseJson, type Issue, type Resource, type WireJson } from '@ssb/market';
import { LOGGER, ProblemException, type Logger } from '@ssb/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { unstorableKeys } from '../domain/storable-key.js';
import { holds } from '../domain/scope.js';
import { RecordConflictError, type LoadResult } from '../records/insert-once.js';
import { TokenCheck } from '../tokens/token-check.js';

/** One load at the operator's door. */
export interface Delivery<T> {
  request: FastifyRequest;
  reply: FastifyReply;
  resource: Resource<T>;
  load: (record: T) => Promise<LoadResult>;
}

/** Enough to mend a record by; all of them could be a longer text than the record. */
const MOST_ISSUES = 20;

/** The road of every load: may they → is it a record → write it, once. */
@Injectable()
export class Door {
  constructor(
    @Inject(TokenCheck) private readonly tokens: TokenCheck,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  async take<T>({ request, reply, resource, load }: Delivery<T>): Promise<void> {
    await this.letIn(request, reply);
    const record = recordOf(resource, request.body);
    const result = await load(record).catch((error: unknown) => {
      if (!(error instanceof RecordConflictError)) throw error;
      throw new ProblemException(409, 'Conflict', `There is already ${error.message}.`, { key: error.key });
    });
    this.log.info({ resource: resource.name, result }, 'record taken');
    await reply.status(result === 'loaded' ? 201 : 200).send({ loaded: result === 'loaded' });
  }

  /** The operator's account: its token must hold C on MARKETRECORDS for OPERATOR (document 001, Scopes). */
  private async letIn(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const token = await this.tokens.of(request.headers.authorization);
    if (!token.ok) {
      void reply.header('www-authenticate', 'Bearer error="invalid_token"');
      throw new ProblemException(401, 'Unauthorized', token.detail, { reason: token.reason });
    }
    if (token.boundTo !== undefined || !holds(token.scopes, 'MARKETRECORDS', 'OPERATOR', 'C')) {
      throw new ProblemException(
        403,
        'Forbidden',
        'The access token must hold the scope MARKETRECORDS|OPERATOR|C and be bound to no client certificate.',
        { reason: 'scope-missing' },
      );
    }
  }
}

function recordOf<T>(resource: Resource<T>, body: unknown): T {
  const wire = wireOf(body);
  const reading = resource.readStrict(wire);
  if (!reading.ok) throw refused(resource, reading.issues);
  const unstorable = unstorableKeys(wire);
  if (unstorable.length > 0) throw refused(resource, unstorable);
  return reading.value;
}

function wireOf(body: unknown): WireJson {
  if (typeof body !== 'string') throw new ProblemException(400, 'Bad request', 'A JSON body is needed.');
  try {
    return parseJson(body);
  } catch (error) {
    if (!(error instanceof MalformedJsonError)) throw error;
    throw new ProblemException(400, 'Bad request', error.message);
  }
}

function refused(resource: Resource<unknown>, all: readonly Issue[]): ProblemException {
  const issues = all.slice(0, MOST_ISSUES);
  const detail = issues
    .map(({ path, message }) => `${path === '' ? 'the body' : path}: ${message}`)
    .join('; ');
  return new ProblemException(422, 'Unprocessable content', `This is no ${resource.name}: ${detail}.`, {
    issues,
  });
}
