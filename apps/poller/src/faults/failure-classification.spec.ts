import {
  MalformedResponseError,
  NoResponseError,
  ReportingForbiddenError,
  ReportingUnavailableError,
  TokenRefusedError,
  TokenUnavailableError,
  type ConnectionEnd,
} from '@ssb/market';
import { UnusableResponseError } from '../polls/poll-failures.js';
import { classifyFailure, type Connection, type FailureContext } from './failure-classification.js';

const NOW = new Date('2026-03-02T00:00:00.000Z');
const tls = (commonName: string, expiresAt: string): Connection => ({
  secure: true,
  certificate: { file: 'client.crt', commonName, expiresAt: new Date(expiresAt) },
});
const VALID = tls('ALPHA', '2026-04-01T00:00:00.000Z');
const EXPIRED = tls('ALPHA', '2026-03-01T00:00:00.000Z');
const OTHER = tls('BETA', '2026-04-01T00:00:00.000Z');
const PLAIN: Connection = { secure: false, certificate: undefined };
const WITHOUT_CERTIFICATE: Connection = { secure: true, certificate: undefined };

const GET = 'GET /api/v2/prudential/summary/latest';
const noResponse = (end?: ConnectionEnd) =>
  new ReportingUnavailableError(GET, undefined, undefined, {
    cause: new NoResponseError('connection', 'other side closed', {}, end),
  });
const CLOSED = noResponse({ kind: 'closed' });
const alert = (text: string) => noResponse({ kind: 'tls-alert', alert: text });
const status = (code: number) => new ReportingUnavailableError(GET, code, undefined);
const malformed = new MalformedResponseError(GET, [{ path: 'data', message: 'missing' }]);
const tokenClosed = new TokenUnavailableError('no response', undefined, undefined, {
  cause: new NoResponseError('connection', 'other side closed', {}, { kind: 'closed' }),
});

const context = (changes: Partial<FailureContext>): FailureContext => ({
  participant: 'ALPHA',
  reporting: VALID,
  token: PLAIN,
  closedConnections: 1,
  now: NOW,
  ...changes,
});

it.each<[string, unknown, Partial<FailureContext>, string | undefined]>([
  ['credentials refused', new TokenRefusedError(401, 'invalid_client', undefined), {}, 'token-refused'],
  ['a token without the scope: 403', new ReportingForbiddenError(GET, 403), {}, 'token-refused'],
  ['401', new ReportingForbiddenError(GET, 401), { reporting: OTHER }, 'token-refused'],
  ['403, no certificate', new ReportingForbiddenError(GET, 403), { reporting: PLAIN }, 'token-refused'],
  [
    '403, certificate of another participant',
    new ReportingForbiddenError(GET, 403),
    { reporting: OTHER },
    'certificate-refused',
  ],
  [
    '403, expired certificate',
    new ReportingForbiddenError(GET, 403),
    { reporting: EXPIRED },
    'certificate-expired',
  ],
  ['alert: unknown ca', alert('unknown ca'), {}, 'certificate-refused'],
  ['alert: certificate required', alert('certificate required'), {}, 'certificate-refused'],
  ['alert: expired', alert('certificate expired'), { reporting: EXPIRED }, 'certificate-expired'],
  // The clock of this host may be behind.
  ['alert: expired, not by this clock', alert('certificate expired'), {}, 'certificate-refused'],
  ['alert: protocol version', alert('protocol version'), {}, undefined],
  ['closed once', CLOSED, {}, undefined],
  ['closed twice', CLOSED, { closedConnections: 2 }, 'certificate-refused'],
  [
    'closed twice, no certificate',
    CLOSED,
    { closedConnections: 2, reporting: WITHOUT_CERTIFICATE },
    'certificate-refused',
  ],
  ['closed twice, plain HTTP', CLOSED, { closedConnections: 2, reporting: PLAIN }, undefined],
  ['closed once, expired certificate', CLOSED, { reporting: EXPIRED }, 'certificate-expired'],
  ['nginx: 400', status(400), {}, undefined],
  ['nginx: 400, expired certificate', status(400), { reporting: EXPIRED }, 'certificate-expired'],
  ['nginx: 496', status(496), {}, 'certificate-refused'],
  ['503, expired certificate', status(503), { reporting: EXPIRED }, undefined],
  ['no connection', noResponse(), { reporting: EXPIRED }, undefined],
  ['token service closes twice', tokenClosed, { closedConnections: 2, token: VALID }, 'certificate-refused'],
  ['token service closes twice, plain HTTP', tokenClosed, { closedConnections: 2 }, undefined],
  ['token service: 503', new TokenUnavailableError('status 503', 503, undefined), {}, undefined],
  [
    'token service: no token',
    new TokenUnavailableError('no token', 200, undefined),
    {},
    'operator-response-unusable',
  ],
  [
    'token service: an encoding that cannot be decoded',
    new TokenUnavailableError('x', undefined, undefined, { cause: new NoResponseError('undecodable', 'x') }),
    {},
    'operator-response-unusable',
  ],
  ['malformed', malformed, {}, 'operator-response-unusable'],
  [
    'another participant',
    new UnusableResponseError('prudential summary', 'x'),
    {},
    'operator-response-unusable',
  ],
  [
    'too large',
    new ReportingUnavailableError(GET, undefined, undefined, {
      cause: new NoResponseError('too-large', 'x'),
    }),
    {},
    'operator-response-unusable',
  ],
  [
    'an encoding that cannot be decoded',
    new ReportingUnavailableError(GET, undefined, undefined, {
      cause: new NoResponseError('undecodable', 'x'),
    }),
    {},
    'operator-response-unusable',
  ],
  ['a programming error', new TypeError('x'), {}, undefined],
  ['not an error', 'text', {}, undefined],
])('%s', (_, error, changes, expected) => {
  expect(classifyFailure(error, context(changes))?.reason).toBe(expected);
});

it.each<[string, unknown, Connection, string]>([
  [
    'a closed connection',
    CLOSED,
    EXPIRED,
    'the operator closes the connection without a response; client certificate client.crt (ALPHA) expired at 2026-03-01T00:00:00.000Z',
  ],
  [
    'a TLS alert',
    alert('unknown ca'),
    VALID,
    'the operator refuses the TLS handshake (unknown ca); client certificate client.crt (ALPHA) expires at 2026-04-01T00:00:00.000Z',
  ],
  [
    'a refusal',
    new ReportingForbiddenError(GET, 403),
    OTHER,
    `${GET} was refused with 403; client certificate client.crt (BETA) expires at 2026-04-01T00:00:00.000Z`,
  ],
])('names the certificate file and its end: %s', (_, error, reporting, expected) => {
  expect(classifyFailure(error, context({ reporting }))?.detail).toBe(expected);
});
