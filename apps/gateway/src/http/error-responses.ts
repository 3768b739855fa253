import {
  describeError,
  InvalidRequestError,
  ProblemException,
  type ErrorResponder,
  type HttpReply,
  type Logger,
} from '@ssb/platform';
import {
  GatewayException,
  internalError,
  invalidPrivateKey,
  invalidRequest,
  signatureCheckFailed,
} from './gateway-exception.js';

/** Responds to every failed request with the `err` object of document 002. Internal errors are logged and not sent. */
export function errorResponses(log: Logger): ErrorResponder {
  return (error, reply) => {
    const exception = toException(error, reply, log);
    for (const [name, value] of Object.entries(getErrorHeaders(exception))) reply.header(name, value);
    reply.status(exception.status).send(exception.body());
  };
}

function toException(error: unknown, reply: HttpReply, log: Logger): GatewayException {
  if (error instanceof GatewayException) return error;
  if (error instanceof InvalidRequestError) return invalidBody(error, reply);
  // The platform refuses an unreadable request with its own reason.
  if (error instanceof ProblemException && error.status < 500) {
    const code = error.status === 415 ? 'REQ::UNSUPPORTED_MEDIA_TYPE' : 'REQ::INVALID_REQUEST';
    return new GatewayException(error.status, code, error.detail ?? `${error.title}.`);
  }
  const { status, title, expected } = describeError(error);
  if (!expected) {
    log.error({ err: error }, 'request failed');
    return internalError();
  }
  // The reasons are fixed, because the message of a parser may contain a part of the body, such as a private key.
  const [code, reason] = CLIENT_ERRORS[status] ?? ['REQ::INVALID_REQUEST', `${title}.`];
  return new GatewayException(status, code, reason);
}

interface RoutedReply {
  readonly request?: { readonly routeOptions: { readonly url?: string } };
}

/** Document 002 specifies a separate error for an invalid body of two operations. */
function invalidBody({ message, faults }: InvalidRequestError, reply: HttpReply): GatewayException {
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

export function getErrorHeaders({ code, retryAfterMs }: GatewayException): Readonly<Record<string, string>> {
  return {
    ...(code === 'REQ::UNAUTHENTICATED' && { 'www-authenticate': BASIC_CHALLENGE }),
    ...(retryAfterMs !== undefined && { 'retry-after': String(Math.ceil(retryAfterMs / 1_000)) }),
  };
}

/** RFC 7617 §2.1: user name and password are UTF-8. */
const BASIC_CHALLENGE = 'Basic realm="message-bus gateway", charset="UTF-8"';

const CLIENT_ERRORS: Readonly<Record<number, readonly [code: string, reason: string]>> = {
  400: [
    'REQ::INVALID_REQUEST',
    'The request cannot be read: its body is not JSON, or its address is malformed.',
  ],
  404: ['REQ::NOT_FOUND', 'This address and method do not exist.'],
  405: ['REQ::METHOD_NOT_ALLOWED', 'This address does not accept this method.'],
  413: ['REQ::TOO_LARGE', 'The body is larger than the maximum size of a message.'],
  415: ['REQ::UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json.'],
};
