import { GatewayError, receivedErrorBody, type ErrorKind } from '@ssb/bus';
import {
  decideOutcome,
  describeFailure,
  toSendFailure,
  type Outcome,
  type SendFailure,
} from './retry-policy.js';

const refused = (status: number, kind?: ErrorKind, detail = 'no'): SendFailure => ({
  cause: 'refused',
  status,
  kind,
  detail,
});

describe('decideOutcome', () => {
  it.each<[string, SendFailure, Outcome]>([
    ['400 duplicate transaction id', refused(400, undefined, 'Duplicate transaction id.'), 'published'],
    [
      '400 duplicate, as a known kind',
      refused(400, 'INVALID_REQUEST', 'duplicate transaction ID'),
      'published',
    ],
    [
      'the same text with another status',
      refused(502, 'REQUEST_FAILED', 'Duplicate transaction id.'),
      'retry',
    ],
    ['400 without a private key', refused(400, 'NO_PRIVATE_KEY'), 'retry'],
    ['401 wrong credentials', refused(401, 'UNAUTHENTICATED'), 'retry'],
    ['404 no such path', refused(404, 'NOT_FOUND'), 'retry'],
    ['413', refused(413, 'TOO_LARGE'), 'dead-letter'],
    ['422 with a known code', refused(422, 'MESSAGE_REJECTED'), 'dead-letter'],
    ['422 with an unknown code', refused(422), 'dead-letter'],
    ['429', refused(429), 'retry'],
    ['500', refused(500, 'INTERNAL'), 'retry'],
    ['no response', { cause: 'unreachable', detail: 'ECONNREFUSED' }, 'retry'],
    ["a proxy's page", { cause: 'foreign-response', status: 404, detail: 'not JSON' }, 'retry'],
  ])('%s', (_, failure, expected) => {
    expect(decideOutcome(failure)).toBe(expected);
  });
});

describe('the outcome of a response of the public gateway', () => {
  const decide = (status: number, err: unknown): Outcome | undefined => {
    const failure = toSendFailure(new GatewayError(status, receivedErrorBody.parse({ err }).err));
    return failure && decideOutcome(failure);
  };

  it.each([
    [400, { code: 'DSB::INVALID_PAYLOAD', reason: 'Duplicate transaction id.' }],
    [400, { code: 'DSB::INVALID_PAYLOAD', reason: ['Duplicate transaction id.', 'Bad Request'] }],
    [400, { code: 'DSB::INVALID_PAYLOAD', reason: [{ message: 'Duplicate transaction id.' }] }],
    [422, { code: 'X', reason: null, additionalInformation: ['Duplicate transaction id.'] }],
    [409, { code: 'X', reason: '', additionalInformation: { message: 'Duplicate transaction id.' } }],
    [400, 'Duplicate transaction id.'],
  ])('%i %j is published', (status, err) => {
    expect(decide(status, err)).toBe('published');
  });

  // The codes of version 0.6.1, each with its status there.
  it.each<[number, string, Outcome]>([
    [403, 'ID::NO_PRIVATE_KEY', 'retry'],
    [403, 'ID::NOT_ENROLED', 'retry'],
    [403, 'ID::ALREADY_ENROLED', 'retry'],
    [422, 'ID::NO_BALANCE', 'retry'],
    [500, 'ID::BALANCE_CHECK_FAILED', 'retry'],
    [503, 'DSB::UNHEALTHY', 'retry'],
    [502, 'DSB::REQUEST_FAILED', 'retry'],
    [401, 'DSB::LOGIN_FAILED', 'retry'],
    [401, 'DSB::UNAUTHORIZED', 'retry'],
    [403, 'DSB::FORBIDDEN_RESOURCE', 'retry'],
    [401, 'DSB::CHANNEL_UNAUTHORIZED', 'retry'],
    [401, 'DSB::TOPIC_UNAUTHORIZED', 'retry'],
    [500, 'UNKNOWN_ERROR', 'retry'],
    [404, 'DSB::CHANNEL_NOT_FOUND', 'dead-letter'],
    [400, 'DSB::INVALID_PAYLOAD', 'dead-letter'],
    [422, 'DSB::INVALID_PAYLOAD', 'dead-letter'],
    [400, 'BAD_REQUEST', 'dead-letter'],
  ])('%i %s is %s', (status, code, expected) => {
    expect(decide(status, { code, reason: ['because', 'of'], additionalInformation: null })).toBe(expected);
  });
});

describe('describeFailure', () => {
  it.each([
    ['the broker', refused(413, 'MESSAGE_TOO_LARGE', 'BUS::MESSAGE_TOO_LARGE: 9 bytes')],
    [
      'a gateway with a code of its own',
      refused(422, 'MESSAGE_REJECTED', 'BUS::MESSAGE_REJECTED: 9 bytes {"code":"BUS::MESSAGE_TOO_LARGE"}'),
    ],
    [
      'a broker with the words of NATS',
      refused(400, 'INVALID_PAYLOAD', 'DSB::INVALID_PAYLOAD: message size exceeds maximum allowed'),
    ],
  ])('names both settings when %s refuses the size of the message', (_, failure) => {
    const reason = describeFailure(failure, 'the-channel');
    expect(reason).toContain(failure.detail);
    expect(reason).toMatch(/maxMsgSize of the channel the-channel, .*maxMessageBytes/);
  });

  it('is otherwise the text of the gateway', () => {
    expect(describeFailure(refused(413, 'TOO_LARGE', 'BUS::TOO_LARGE: 9'), 'the-channel')).toBe(
      'BUS::TOO_LARGE: 9',
    );
  });
});
