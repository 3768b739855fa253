import { InvalidGatewayResponseError, GatewayError, GatewayUnreachableError, type ErrorKind } from '@ssb/bus';

/** Why one POST to the gateway failed. */
export type SendFailure =
  /** No answer. Whether the message arrived is unknown. */
  | { readonly cause: 'unreachable'; readonly detail: string }
  /** An answer that is not the gateway's, such as a proxy's error page. */
  | { readonly cause: 'foreign-answer'; readonly status: number; readonly detail: string }
  /** The gateway's own error. */
  | {
      readonly cause: 'refused';
      readonly status: number;
      readonly kind: ErrorKind | undefined;
      readonly detail: string;
    };

export type Outcome = 'delivered' | 'retry' | 'dead-letter';

interface Rule {
  readonly applies: (failure: SendFailure) => boolean;
  readonly outcome: Outcome;
  readonly because: string;
}

const refusedWith =
  (...statuses: number[]) =>
  (failure: SendFailure): boolean =>
    failure.cause === 'refused' && statuses.includes(failure.status);

const refusedAs =
  (...kinds: ErrorKind[]) =>
  (failure: SendFailure): boolean =>
    failure.cause === 'refused' && failure.kind !== undefined && kinds.includes(failure.kind);

/**
 * The retry policy: the first rule that applies decides (document 002, "Errors"). Only a message that can never succeed unchanged is a
 * dead letter; everything else is retried without end.
 */
const POLICY: readonly Rule[] = [
  {
    applies: (failure) =>
      failure.cause === 'refused' &&
      failure.status === 400 &&
      /duplicate transaction id/i.test(failure.detail),
    outcome: 'delivered',
    because: 'an earlier attempt arrived; newer brokers answer with this error',
  },
  {
    applies: refusedAs('NO_PRIVATE_KEY', 'INVALID_PRIVATE_KEY', 'UNHEALTHY', 'REQUEST_FAILED'),
    outcome: 'retry',
    because: 'the gateway is not set up, or does not reach its broker',
  },
  {
    applies: refusedAs('CHANNEL_NOT_FOUND'),
    outcome: 'dead-letter',
    because: 'the channel or topic does not exist; a replay delivers the event once it is created',
  },
  {
    applies: refusedAs('MESSAGE_REJECTED'),
    outcome: 'dead-letter',
    because: 'the broker rejects the payload, which stays the same',
  },
  {
    applies: refusedWith(422),
    outcome: 'dead-letter',
    because: 'the broker rejects the payload; the document leaves the code of a 422 open',
  },
  {
    applies: refusedWith(413),
    outcome: 'dead-letter',
    because: 'the message exceeds the size limit of the channel or the gateway',
  },
  {
    applies: refusedWith(400),
    outcome: 'dead-letter',
    because: 'the gateway does not understand the request, which stays the same',
  },
  {
    applies: refusedWith(401, 403),
    outcome: 'retry',
    because: 'an enrolment may be approved, and rights or credentials may change',
  },
  {
    applies: (failure) => failure.cause === 'unreachable',
    outcome: 'retry',
    because: 'the message may have arrived; the transaction id makes a repeat harmless',
  },
  {
    applies: (failure) => failure.cause === 'foreign-answer',
    outcome: 'retry',
    because: 'the answer came from something between publisher and gateway',
  },
  {
    applies: () => true,
    outcome: 'retry',
    because: 'an unknown error (5xx, 429, other 404) must not lose an event',
  },
];

/** The outcome of a failed POST, with the reason for it. */
export function decideOutcome(failure: SendFailure): { readonly outcome: Outcome; readonly because: string } {
  const rule = POLICY.find(({ applies }) => applies(failure));
  return { outcome: rule?.outcome ?? 'retry', because: rule?.because ?? '' };
}

const MAX_DETAIL_LENGTH = 2_000;

/** Converts an error of the gateway client; undefined when the gateway did not cause it. */
export function toSendFailure(error: unknown): SendFailure | undefined {
  if (error instanceof GatewayUnreachableError) return { cause: 'unreachable', detail: error.message };
  if (error instanceof InvalidGatewayResponseError)
    return { cause: 'foreign-answer', status: error.status, detail: error.message };
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
