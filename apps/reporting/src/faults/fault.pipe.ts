import { Injectable, type PipeTransform } from '@nestjs/common';
import { type Fault, FAULT_KINDS, MAX_FAULT_SECONDS } from '@ssb/market/admin';
import { InvalidRequestError, RequestValidationPipe } from '@ssb/platform';
import { FAULT_DTO } from './fault.dto.js';
import { parseBody, unprocessable } from '../operator/request-bodies.js';

/** Parses and validates the text of a body as a fault, by the DTO class of its kind. */
@Injectable()
export class FaultPipe implements PipeTransform<unknown, Promise<Fault>> {
  private readonly validation = new RequestValidationPipe('refuse');

  /** @throws ProblemException 400 for invalid JSON, 422 with the path of each invalid field */
  async transform(body: unknown): Promise<Fault> {
    const value = parseBody(body, (text) => JSON.parse(text) as unknown);
    try {
      const metatype = FAULT_DTO[kindOf(value)];
      const fault = (await this.validation.transform(value, { type: 'body', metatype })) as Fault;
      // Every fault ends by itself, so that a forgotten one does no lasting harm.
      if (fault.forSeconds === undefined && fault.times === undefined) throw invalid('', UNBOUNDED);
      return fault;
    } catch (error) {
      throw error instanceof InvalidRequestError ? unprocessable('This is not a Fault', error.faults) : error;
    }
  }
}

const UNBOUNDED = `forSeconds (1 to ${MAX_FAULT_SECONDS}) or times, or both, must be given`;

function kindOf(value: unknown): Fault['kind'] {
  const { kind: given } = (typeof value === 'object' && value !== null ? value : {}) as { kind?: unknown };
  const kind = FAULT_KINDS.find((each) => each === given);
  if (kind === undefined) throw invalid('kind', `kind must be one of ${FAULT_KINDS.join(', ')}`);
  return kind;
}

function invalid(path: string, message: string): InvalidRequestError {
  return new InvalidRequestError([{ path, message }]);
}
