import { Inject, Injectable } from '@nestjs/common';
import type { Resource } from '@ssb/market';
import { LOGGER, ProblemException, type Logger } from '@ssb/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RecordConflictError, type LoadResult } from '../records/insert-once.js';
import { readRecord } from './read-record.js';

/** One load at the operator's door. */
export interface Delivery<T> {
  request: FastifyRequest;
  reply: FastifyReply;
  resource: Resource<T>;
  load: (record: T) => Promise<LoadResult>;
}

/** The road of every load, once it is admitted: is it a record → write it, once. */
@Injectable()
export class Door {
  constructor(@Inject(LOGGER) private readonly log: Logger) {}

  async take<T>({ request, reply, resource, load }: Delivery<T>): Promise<void> {
    const record = readRecord(resource, request.body);
    const result = await load(record).catch((error: unknown) => {
      if (!(error instanceof RecordConflictError)) throw error;
      throw new ProblemException(409, 'Conflict', `There is already ${error.message}.`, { key: error.key });
    });
    this.log.info({ resource: resource.name, result }, 'record taken');
    await reply.status(result === 'loaded' ? 201 : 200).send({ loaded: result === 'loaded' });
  }
}
