import { errorBody, errorKind, type BrokerHealth, type ErrorDetail } from '@ssb/bus';
import { z } from 'zod';
import {
  GatewayFailure,
  fetchClaimsFailed,
  invalidRequest,
  noPrivateKey,
  requestFailed,
  unhealthy,
} from '../http/gateway-exception.js';

/** Why the broker did not do what the gateway asked of it. */
export type BrokerProblem =
  | { readonly kind: 'no-identity' }
  | { readonly kind: 'unreachable'; readonly reason: string }
  | { readonly kind: 'login-refused'; readonly status: number; readonly err: ErrorDetail | undefined }
  | { readonly kind: 'refused'; readonly status: number; readonly err: ErrorDetail | undefined };

export class BrokerError extends Error {
  override readonly name = 'BrokerError';

  constructor(readonly problem: BrokerProblem) {
    super(describe(problem));
  }
}

/** The operations of document 002 that need the broker; each has its own list of answers. */
export type Operation = 'send' | 'read' | 'channels' | 'enrol' | 'health';

/** Does what an operation needs of the broker. @throws GatewayFailure in place of a BrokerError */
export async function asOperation<T>(operation: Operation, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof BrokerError ? failureOf(error.problem, operation) : error;
  }
}

/** The document's answer ("Errors") to a broker that did not do what an operation needed. */
export function failureOf(problem: BrokerProblem, operation: Operation): GatewayFailure {
  if (operation === 'enrol') return enrolFailure(problem);
  switch (problem.kind) {
    case 'unreachable':
      return requestFailed(`The message broker cannot be reached: ${problem.reason}.`);
    case 'no-identity':
      return loginFailed(operation, noPrivateKey().reason, { code: 'ID::NO_PRIVATE_KEY' });
    case 'login-refused':
      return loginFailed(
        operation,
        `The message broker refused the login: ${problem.err?.reason ?? `status ${problem.status}`}`,
        problem.err?.additionalInformation,
      );
    case 'refused':
      return refusal(problem.status, problem.err, operation);
  }
}

/** The channel list knows no 401 (document 002, endpoint table): whoever cannot log in is not a user of the bus. */
function loginFailed(operation: Operation, reason: string, information: unknown): GatewayFailure {
  return operation === 'channels'
    ? new GatewayFailure(403, 'BUS::FORBIDDEN', reason, information ?? { code: 'BUS::LOGIN_FAILED' })
    : new GatewayFailure(401, 'BUS::LOGIN_FAILED', reason, information);
}

function refusal(status: number, err: ErrorDetail | undefined, operation: Operation): GatewayFailure {
  const reason = err?.reason ?? `The message broker answered with status ${status}.`;
  const information = err?.additionalInformation;
  const kind = err && errorKind(err.code);
  if (status === 401) {
    return kind === 'CHANNEL_UNAUTHORIZED' && operation !== 'channels'
      ? new GatewayFailure(401, 'BUS::CHANNEL_UNAUTHORIZED', reason, information)
      : loginFailed(operation, reason, information);
  }
  if (status === 403) {
    const code = operation === 'channels' ? 'BUS::FORBIDDEN' : 'BUS::FORBIDDEN_RESOURCE';
    return new GatewayFailure(403, code, reason, information);
  }
  if (status === 404 && kind === 'CHANNEL_NOT_FOUND' && operation !== 'channels') {
    return new GatewayFailure(404, 'BUS::CHANNEL_NOT_FOUND', reason, information);
  }
  if (operation === 'send' && REFUSED_MESSAGE.has(status)) {
    return new GatewayFailure(422, 'BUS::MESSAGE_REJECTED', reason, brokersWords(status, err));
  }
  // The broker is well and reachable: the question itself was wrong.
  if (operation === 'read' && status === 400) return invalidRequest(reason, information);
  return requestFailed(reason, brokersWords(status, err));
}

const statusAndMessage = z.object({ status: z.string(), message: z.string() });

/**
 * The document's 503 of a broker that runs with issues: `additionalInformation` is the status and message that the broker gives
 * with its own error, and its whole answer where it gives none.
 */
export function unwell(health: BrokerHealth): GatewayFailure {
  const said = statusAndMessage.safeParse(errorBody.safeParse(health).data?.err.additionalInformation);
  return unhealthy(said.success ? said.data : health);
}

/** What the broker said, for whoever must find out why. */
function brokersWords(status: number, err: ErrorDetail | undefined): unknown {
  return { status, code: err?.code, details: err?.additionalInformation };
}

/** Statuses with which brokers say that the message itself is at fault: repeating it would not help. */
const REFUSED_MESSAGE: ReadonlySet<number> = new Set([400, 409, 413, 422]);

function enrolFailure(problem: BrokerProblem): GatewayFailure {
  switch (problem.kind) {
    case 'no-identity':
      return noPrivateKey();
    case 'unreachable':
      return fetchClaimsFailed(`Claims cannot be requested, the broker is unreachable: ${problem.reason}.`);
    case 'login-refused':
    case 'refused':
      return fetchClaimsFailed(
        `Claims cannot be requested: ${problem.err?.reason ?? `the broker answered with status ${problem.status}`}`,
        { status: problem.status, ...(problem.err && { code: problem.err.code }) },
      );
  }
}

function describe(problem: BrokerProblem): string {
  switch (problem.kind) {
    case 'no-identity':
      return 'no private key is configured';
    case 'unreachable':
      return `the broker cannot be reached: ${problem.reason}`;
    case 'login-refused':
      return `the broker refused the login with status ${problem.status}: ${problem.err?.reason ?? 'no reason'}`;
    case 'refused':
      return `the broker answered with status ${problem.status}: ${problem.err?.reason ?? 'no reason'}`;
  }
}
