import { errorBody, errorKind, type BrokerHealth, type ErrorDetail } from '@ssb/bus';
import { z } from 'zod';
import {
  brokerUnhealthy,
  fetchClaimsFailed,
  GatewayException,
  invalidRequest,
  noPrivateKey,
  requestFailed,
} from '../http/gateway-exception.js';

/** Why a request to the broker failed. */
export type BrokerProblem =
  | { readonly kind: 'no-identity' }
  | { readonly kind: 'unreachable'; readonly reason: string }
  | { readonly kind: 'not-sent'; readonly reason: string }
  | { readonly kind: 'invalid-response'; readonly reason: string }
  | { readonly kind: 'login-refused'; readonly status: number; readonly err: ErrorDetail | undefined }
  | { readonly kind: 'refused'; readonly status: number; readonly err: ErrorDetail | undefined };

export class BrokerError extends Error {
  override readonly name = 'BrokerError';

  constructor(readonly problem: BrokerProblem) {
    super(describe(problem));
  }
}

/** The request may or may not have reached the broker. */
export function brokerUnreachable(reason: string): BrokerError {
  return new BrokerError({ kind: 'unreachable', reason });
}

/** The gateway has too much work, or the deadline passed before the request was sent. */
export function requestNotSent(reason: string): BrokerError {
  return new BrokerError({ kind: 'not-sent', reason });
}

/** The response is not one of the broker's; another server may have responded. */
export function invalidBrokerResponse(reason: string): BrokerError {
  return new BrokerError({ kind: 'invalid-response', reason });
}

/** The operations of document 002 that use the broker. Each has its own list of errors. */
export type Operation = 'send' | 'read' | 'channels' | 'enrol' | 'health';

/** Converts a BrokerError to the error of document 002; returns any other error unchanged. */
export function toGatewayException(error: unknown, operation: Operation): unknown {
  return error instanceof BrokerError ? mapProblem(error.problem, operation) : error;
}

/** Document 002, "Errors". */
export function mapProblem(problem: BrokerProblem, operation: Operation): GatewayException {
  if (operation === 'enrol') return enrolFailed(problem);
  switch (problem.kind) {
    case 'unreachable':
      return requestFailed(`The message broker cannot be reached: ${problem.reason}.`);
    case 'not-sent':
      return requestFailed(`The request was not sent to the message broker: ${problem.reason}.`);
    case 'invalid-response':
      return requestFailed(`The message broker returned an invalid response: ${problem.reason}.`);
    case 'no-identity':
      return loginFailed(operation, noPrivateKey().reason, { code: 'ID::NO_PRIVATE_KEY' });
    case 'login-refused':
      return loginFailed(
        operation,
        `The message broker refused the login: ${problem.err?.reason ?? `status ${problem.status}`}`,
        problem.err?.additionalInformation,
      );
    case 'refused':
      return mapRefusal(problem.status, problem.err, operation);
  }
}

/** The channel list has no 401 (document 002, endpoint table): without a login the caller is not a user of the bus. */
function loginFailed(operation: Operation, reason: string, information: unknown): GatewayException {
  return operation === 'channels'
    ? new GatewayException(403, 'BUS::FORBIDDEN', reason, information ?? { code: 'BUS::LOGIN_FAILED' })
    : new GatewayException(401, 'BUS::LOGIN_FAILED', reason, information);
}

/** Statuses with which brokers refuse the message itself. Repeating it does not help. */
const MESSAGE_REFUSALS: ReadonlySet<number> = new Set([400, 409, 413, 422]);

function mapRefusal(status: number, err: ErrorDetail | undefined, operation: Operation): GatewayException {
  const reason = err?.reason ?? `The message broker responded with status ${status}.`;
  const information = err?.additionalInformation;
  const kind = err && errorKind(err.code);
  const brokerResponse = { status, code: err?.code, details: information };
  if (status === 401) {
    return kind === 'CHANNEL_UNAUTHORIZED' && operation !== 'channels'
      ? new GatewayException(401, 'BUS::CHANNEL_UNAUTHORIZED', reason, information)
      : loginFailed(operation, reason, information);
  }
  if (status === 403) {
    const code = operation === 'channels' ? 'BUS::FORBIDDEN' : 'BUS::FORBIDDEN_RESOURCE';
    return new GatewayException(403, code, reason, information);
  }
  if (status === 404 && kind === 'CHANNEL_NOT_FOUND' && operation !== 'channels') {
    return new GatewayException(404, 'BUS::CHANNEL_NOT_FOUND', reason, information);
  }
  if (operation === 'send' && MESSAGE_REFUSALS.has(status)) {
    return new GatewayException(422, 'BUS::MESSAGE_REJECTED', reason, brokerResponse);
  }
  // The broker is reachable and healthy: the query is wrong.
  if (operation === 'read' && status === 400) return invalidRequest(reason, information);
  return requestFailed(reason, brokerResponse);
}

function enrolFailed(problem: BrokerProblem): GatewayException {
  switch (problem.kind) {
    case 'no-identity':
      return noPrivateKey();
    case 'unreachable':
      return fetchClaimsFailed(`Claims cannot be requested, the broker is unreachable: ${problem.reason}.`);
    case 'not-sent':
      return fetchClaimsFailed(`Claims cannot be requested, the request was not sent: ${problem.reason}.`);
    case 'invalid-response':
      return fetchClaimsFailed(
        `Claims cannot be requested, the broker returned an invalid response: ${problem.reason}.`,
      );
    case 'login-refused':
    case 'refused':
      return fetchClaimsFailed(
        `Claims cannot be requested: ${problem.err?.reason ?? `the broker responded with status ${problem.status}`}`,
        { status: problem.status, ...(problem.err && { code: problem.err.code }) },
      );
  }
}

const statusAndMessage = z.object({ status: z.string(), message: z.string() });

/** Document 002, 503: `additionalInformation` is the status and message of the broker's own error, or its whole response. */
export function toUnhealthyException(health: BrokerHealth): GatewayException {
  const { err } = errorBody.safeParse(health).data ?? {};
  const detail = statusAndMessage.safeParse(err?.additionalInformation);
  return brokerUnhealthy(detail.success ? detail.data : health);
}

function describe(problem: BrokerProblem): string {
  switch (problem.kind) {
    case 'no-identity':
      return 'no private key is configured';
    case 'unreachable':
      return `the broker cannot be reached: ${problem.reason}`;
    case 'not-sent':
      return `the request was not sent: ${problem.reason}`;
    case 'invalid-response':
      return `the broker returned an invalid response: ${problem.reason}`;
    case 'login-refused':
      return `the broker refused the login with status ${problem.status}: ${problem.err?.reason ?? 'no reason'}`;
    case 'refused':
      return `the broker responded with status ${problem.status}: ${problem.err?.reason ?? 'no reason'}`;
  }
}
