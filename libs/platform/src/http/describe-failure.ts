import { HttpException } from '@nestjs/common';
import { InvalidRequestError } from './invalid-request-error.js';
import { ProblemException } from './problem.js';

/** What a caller may be told of a failure. `expected` is false for our own faults, which are logged instead of shown. */
export interface FailureDescription {
  readonly status: number;
  readonly title: string;
  readonly detail?: string;
  readonly extensions: Readonly<Record<string, unknown>>;
  readonly expected: boolean;
}

/** Maps anything thrown while serving a request to what the caller may see; shared by every app's error form. */
export function describeFailure(error: unknown): FailureDescription {
  if (error instanceof ProblemException) {
    const { status, title, detail, extensions } = error;
    return { status, title, detail, extensions, expected: status < 500 };
  }
  if (error instanceof InvalidRequestError) {
    const { message: detail, faults } = error;
    return { status: 422, title: 'Unprocessable content', detail, extensions: { faults }, expected: true };
  }
  const status = error instanceof HttpException ? error.getStatus() : clientErrorStatus(error);
  if (status !== undefined) {
    const detail = error instanceof Error ? error.message : undefined;
    return {
      status,
      title: TITLES[status] ?? 'Request refused',
      detail,
      extensions: {},
      expected: status < 500,
    };
  }
  return {
    status: 500,
    title: 'Internal error',
    detail: 'The failure was recorded.',
    extensions: {},
    expected: false,
  };
}

/** Fastify marks what the caller did wrong (bad JSON, body too large) with a 4xx `statusCode`. */
function clientErrorStatus(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null || !('statusCode' in error)) return undefined;
  const { statusCode } = error;
  return typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500 ? statusCode : undefined;
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not found',
  405: 'Method not allowed',
  409: 'Conflict',
  413: 'Body too large',
  415: 'Unsupported media type',
  422: 'Unprocessable content',
  429: 'Too many requests',
  503: 'Service unavailable',
};
