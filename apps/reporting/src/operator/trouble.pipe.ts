import { Injectable, type PipeTransform } from '@nestjs/common';
import { LONGEST_TROUBLE_SECONDS, TROUBLE_KINDS, type Trouble } from '@ssb/market';
import {
  InvalidRequestError,
  ProblemException,
  RequestValidationPipe,
  type RequestFault,
} from '@ssb/platform';
import { refused } from './read-record.js';
import { TROUBLE_DTO } from './trouble.dto.js';

const UNBOUNDED: RequestFault = {
  path: '',
  message: `forSeconds (1 to ${LONGEST_TROUBLE_SECONDS}) or times, or both, must be there as bound`,
};

/** Reads the text of a body (bodies.ts) as a trouble, by the class of its kind. */
@Injectable()
export class TroublePipe implements PipeTransform<unknown, Promise<Trouble>> {
  private readonly validation = new RequestValidationPipe('refuse');

  /** @throws ProblemException 400 for what is no JSON, 422 with the path of each wrong field */
  async transform(body: unknown): Promise<Trouble> {
    const value = readJson(body);
    try {
      const metatype = TROUBLE_DTO[kindOf(value)];
      const trouble = (await this.validation.transform(value, { type: 'body', metatype })) as Trouble;
      // A trouble ends by itself, so that no one has to remember to clear it.
      if (trouble.forSeconds === undefined && trouble.times === undefined)
        throw new InvalidRequestError([UNBOUNDED]);
      return trouble;
    } catch (error) {
      throw error instanceof InvalidRequestError ? refused('Trouble', error.faults) : error;
    }
  }
}

function kindOf(value: unknown): Trouble['kind'] {
  const { kind: given } = (typeof value === 'object' && value !== null ? value : {}) as { kind?: unknown };
  const kind = TROUBLE_KINDS.find((each) => each === given);
  if (kind !== undefined) return kind;
  const message = `kind must be one of ${TROUBLE_KINDS.join(', ')}`;
  throw new InvalidRequestError([{ path: 'kind', message }]);
}

function readJson(body: unknown): unknown {
  if (typeof body !== 'string') throw new ProblemException(400, 'Bad request', 'A JSON body is needed.');
  try {
    return JSON.parse(body);
  } catch {
    throw new ProblemException(400, 'Bad request', 'The body is not JSON.');
  }
}
