import type { ErrorKind } from '@ssb/bus';

/** What went wrong with one POST to the gateway, free of any client library. */
export type SendFailure =
  /** No answer. Whether the message arrived is unknown. */
  | { readonly cause: 'unreachable'; readonly detail: string }
  /** An answer that is not the gateway's: a proxy's page, another service at that address. */
  | { readonly cause: 'foreign-answer'; readonly status: number; readonly detail: string }
  /** The gateway's own error. */
  | {
      readonly cause: 'refused';
      readonly status: number;
      readonly kind: ErrorKind | undefined;
      readonly detail: string;
    };

export type Outcome = 'delivered' | 'retry' | 'dead-letter';

interface Row {
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
 * The retry policy: the first row that applies decides (document 002, "Errors"). Only what the same message can never overcome is a
 * dead letter; whatever can change without the message changing is tried again, without end.
 */
const POLICY: readonly Row[] = [
  {
    applies: (failure) =>
      failure.cause === 'refused' &&
      failure.status === 400 &&
      /duplicate transaction id/i.test(failure.detail),
    outcome: 'delivered',
    because: 'newer brokers say so instead of repeating the first answer: an earlier attempt arrived',
  },
  {
    applies: refusedAs('NO_PRIVATE_KEY', 'INVALID_PRIVATE_KEY', 'UNHEALTHY', 'REQUEST_FAILED'),
    outcome: 'retry',
    because: 'the gateway itself is not set up, or does not reach its broker; neither is about the message',
  },
  {
    applies: refusedAs('CHANNEL_NOT_FOUND'),
    outcome: 'dead-letter',
    because: 'the channel or topic does not exist; once somebody has made it, a replay delivers',
  },
  {
    applies: refusedAs('MESSAGE_REJECTED'),
    outcome: 'dead-letter',
    because: 'the broker refuses the payload, and it will be the same payload next time',
  },
  {
    applies: refusedWith(422),
    outcome: 'dead-letter',
    because: 'as above: the code of the 422 answer is left open in the document',
  },
  {
    applies: refusedWith(413),
    outcome: 'dead-letter',
    because: 'the message is larger than the channel or the gateway takes',
  },
  {
    applies: refusedWith(400),
    outcome: 'dead-letter',
    because: 'the gateway does not understand the request, and it will be the same request next time',
  },
  {
    applies: refusedWith(401, 403),
    outcome: 'retry',
    because: 'enrolment may await approval, rights or credentials may be given at any time',
  },
  {
    applies: (failure) => failure.cause === 'unreachable',
    outcome: 'retry',
    because: 'it may even have arrived: the transaction id makes the repeat harmless',
  },
  {
    applies: (failure) => failure.cause === 'foreign-answer',
    outcome: 'retry',
    because: 'something between us and the gateway answered; it says nothing about the message',
  },
  {
    applies: () => true,
    outcome: 'retry',
    because:
      'what is not known to be final (5xx, 429, 404 of another kind, the future) must not drop an event',
  },
];

/** What to do about a failed POST, and why. */
export function outcomeOf(failure: SendFailure): { readonly outcome: Outcome; readonly because: string } {
  const row = POLICY.find(({ applies }) => applies(failure));
  return { outcome: row?.outcome ?? 'retry', because: row?.because ?? '' };
}
