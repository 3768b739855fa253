import { InvalidGatewayResponseError, GatewayError, GatewayUnreachableError, type ErrorKind } from '@ssb/bus';
import type { DeadLetterCause } from '@ssb/redis-queue';
import type { SendResult } from './heartbeat-publisher.js';

/** Why one POST to the gateway failed. */
export type SendFailure =
  /** No response. The broker may have the message; its transaction id makes a repeat harmless. */
  | { readonly cause: 'unreachable'; readonly detail: string }
  /** A response that is not the gateway's, such as a proxy's error page. */
  | { readonly cause: 'foreign-response'; readonly status: number; readonly detail: string }
  /** The gateway's own error. */
  | {
      readonly cause: 'refused';
      readonly status: number;
      readonly kind: ErrorKind | undefined;
      readonly detail: string;
    };

export type Outcome = 'published' | 'retry' | 'dead-letter';

/** The retry policy for known errors of document 002 and of the public gateway. The kind decides before the status. */
const OUTCOME_BY_KIND: Readonly<Partial<Record<ErrorKind, Outcome>>> = {
  // The gateway is not set up, or does not reach its broker.
  NO_PRIVATE_KEY: 'retry',
  INVALID_PRIVATE_KEY: 'retry',
  NOT_ENROLED: 'retry',
  NO_BALANCE: 'retry',
  UNHEALTHY: 'retry',
  REQUEST_FAILED: 'retry',
  // The identity of the gateway lacks a role or right, which can be granted.
  LOGIN_FAILED: 'retry',
  FORBIDDEN_RESOURCE: 'retry',
  CHANNEL_UNAUTHORIZED: 'retry',
  TOPIC_UNAUTHORIZED: 'retry',
  // The channel or topic does not exist. A retry publishes the event once it is created.
  CHANNEL_NOT_FOUND: 'dead-letter',
  // The broker rejects the payload, which stays the same.
  MESSAGE_REJECTED: 'dead-letter',
  INVALID_PAYLOAD: 'dead-letter',
};

/** Statuses of a message that can never succeed unchanged. */
const DEAD_LETTER_STATUSES: ReadonlySet<number> = new Set([
  // The gateway does not understand the request.
  400,
  // The message exceeds the size limit of the channel or the gateway.
  413,
  // The broker rejects the payload; the document leaves the code of a 422 open.
  422,
]);

/** Newer brokers refuse the transaction id of an earlier attempt that arrived. */
const DUPLICATE = /duplicate transaction id/i;
const DUPLICATE_STATUSES: ReadonlySet<number> = new Set([400, 409, 422]);

/** The outcome of a failed POST. An unknown error (401, 403, 429, 5xx, other 404) is retried, so that no event is lost. */
export function decideOutcome(failure: SendFailure): Outcome {
  if (failure.cause !== 'refused') return 'retry';
  const { status, kind, detail } = failure;
  if (DUPLICATE_STATUSES.has(status) && DUPLICATE.test(detail)) return 'published';
  const outcome = kind === undefined ? undefined : OUTCOME_BY_KIND[kind];
  return outcome ?? (DEAD_LETTER_STATUSES.has(status) ? 'dead-letter' : 'retry');
}

/** Whether the gateway refused the message because the channel or topic does not exist. */
function isChannelMissing(failure: SendFailure): boolean {
  return failure.cause === 'refused' && failure.kind === 'CHANNEL_NOT_FOUND';
}

/** A gateway may send its own code, and name the broker's in the additional information; NATS has words only. */
const TOO_LARGE = /BUS::MESSAGE_TOO_LARGE|message size exceeds/i;

/** The cause of a refusal that can end without a change of the event. */
function causeOf(failure: SendFailure): DeadLetterCause | undefined {
  if (isChannelMissing(failure)) return 'channel-missing';
  const isTooLarge =
    failure.cause === 'refused' && (failure.status === 413 || TOO_LARGE.test(failure.detail));
  return isTooLarge ? 'too-large' : undefined;
}

/** The reason of a failed attempt, with the settings to change when the message is too large. */
export function describeFailure(failure: SendFailure, channel: string): string {
  const { cause, detail } = failure;
  if (cause !== 'refused' || !TOO_LARGE.test(detail)) return detail;
  return (
    `${detail}. Raise maxMsgSize of the channel ${channel}, then retry the event; ` +
    'set maxMessageBytes of its route in CONFIG_FILE to at most maxMsgSize, so that later statements are summarised'
  );
}

const MAX_DETAIL_LENGTH = 2_000;

/** Converts an error of the gateway client; undefined when the gateway did not cause it. */
export function toSendFailure(error: unknown): SendFailure | undefined {
  if (error instanceof GatewayUnreachableError) return { cause: 'unreachable', detail: error.message };
  if (error instanceof InvalidGatewayResponseError)
    return { cause: 'foreign-response', status: error.status, detail: error.message };
  if (!(error instanceof GatewayError)) return undefined;
  // The broker's text is the reason or, from some gateways, part of the additional information.
  const additional =
    error.additionalInformation === undefined ? '' : ` ${JSON.stringify(error.additionalInformation)}`;
  return {
    cause: 'refused',
    status: error.status,
    kind: error.kind,
    detail: `${error.code}: ${error.reason}${additional}`.slice(0, MAX_DETAIL_LENGTH),
  };
}

/** The result of a failed POST. @throws the error when the gateway did not cause it */
export function toSendResult(error: unknown, channel: string): SendResult {
  const failure = toSendFailure(error);
  if (failure === undefined) throw error;
  const outcome = decideOutcome(failure);
  if (outcome === 'published') return { outcome };
  return {
    outcome,
    reason: describeFailure(failure, channel),
    channelMissing: isChannelMissing(failure),
    ...(outcome === 'dead-letter' && { cause: causeOf(failure) }),
  };
}
