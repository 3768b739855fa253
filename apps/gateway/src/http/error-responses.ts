import {
  describeFailure,
  InvalidRequestError,
  ProblemException,
  type AnswerFailure,
  type FailureReply,
  type Logger,
} from '@ssb/platform';
import {
  GatewayFailure,
  invalidPrivateKey,
  invalidRequest,
  signatureCheckFailed,
} from './gateway-exception.js';

/** Answers every failure with the `err` object of document 002; our own faults are logged, never shown. */
export function errAnswers(log: Logger): AnswerFailure {
  return (error, reply) => {
    const failure = shownAs(error, reply, log);
    for (const [name, value] of Object.entries(headersOf(failure))) reply.header(name, value);
    reply.status(failure.status).send(failure.body());
  };
}

function shownAs(error: unknown, reply: FailureReply, log: Logger): GatewayFailure {
  if (error instanceof GatewayFailure) return error;
  if (error instanceof InvalidRequestError) return invalidBody(error, reply);
  // What is no readable request: the words are the chassis' own.
  if (error instanceof ProblemException && error.status < 500)
    return new GatewayFailure(error.status, 'REQ::INVALID_REQUEST', error.detail ?? `${error.title}.`);
  const { status, title, expected } = describeFailure(error);
  if (!expected) {
    log.error({ err: error }, 'request failed');
    return new GatewayFailure(500, 'REQ::INTERNAL', 'The gateway failed; the failure was recorded.');
  }
  // Fixed sentences: a parser's own words may repeat a part of the body, and that may be a private key.
  const [code, reason] = MISTAKES[status] ?? ['REQ::INVALID_REQUEST', `${title}.`];
  return new GatewayFailure(status, code, reason);
}

interface RoutedReply {
  readonly request?: { readonly routeOptions: { readonly url?: string } };
}

/** Document 002 gives two operations an error of their own for a body of another form. */
function invalidBody({ message, faults }: InvalidRequestError, reply: FailureReply): GatewayFailure {
  switch ((reply as RoutedReply).request?.routeOptions.url) {
    case '/api/v1/config/identity':
      return invalidPrivateKey('The body needs a privateKey, as text.');
    case '/api/v1/verifysignature':
      return signatureCheckFailed('signature, did and payload are texts.');
    default:
      return invalidRequest(
        `${message}.`,
        faults.map(({ path, message }) => ({ field: path, message })),
      );
  }
}

/** The headers that a failure wants besides its body. */
export function headersOf({ code, retryAfterMs }: GatewayFailure): Readonly<Record<string, string>> {
  return {
    ...(code === 'REQ::UNAUTHENTICATED' && { 'www-authenticate': WANTS_BASIC }),
    ...(retryAfterMs !== undefined && { 'retry-after': String(Math.ceil(retryAfterMs / 1_000)) }),
  };
}

/** RFC 7617; the user name and password are read as UTF-8. */
const WANTS_BASIC = 'Basic realm="message-bus gateway", charset="UTF-8"';

const MISTAKES: Readonly<Record<number, readonly [code: string, reason: string]>> = {
  400: [
    'REQ::INVALID_REQUEST',
    'The request cannot be read: its body is not JSON, or its address is malformed.',
  ],
  404: ['REQ::NOT_FOUND', 'There is nothing at this address with this method.'],
  405: ['REQ::METHOD_NOT_ALLOWED', 'This address does not take this method.'],
  413: ['REQ::TOO_LARGE', 'The body is larger than any message may be.'],
  415: ['REQ::UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json.'],
};
