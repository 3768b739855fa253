import { mapProblem, type BrokerProblem, type Operation } from './broker-error.js';

const refused = (status: number, code?: string): BrokerProblem => ({
  kind: 'refused',
  status,
  err: code === undefined ? undefined : { code, reason: 'because' },
});
const notSent: BrokerProblem = { kind: 'not-sent', reason: 'it waited too long' };
const invalidResponse: BrokerProblem = { kind: 'invalid-response', reason: 'no outcome' };
const loginRefused: BrokerProblem = { kind: 'login-refused', status: 401, err: undefined };
const noIdentity: BrokerProblem = { kind: 'no-identity' };

/** What document-002.suite cannot cause with a real broker. */
describe('the error of a failed broker request', () => {
  it.each<[Operation, string, BrokerProblem, string]>([
    ['read', 'another prefix', refused(401, 'DSB::CHANNEL_UNAUTHORIZED'), '401 BUS::CHANNEL_UNAUTHORIZED'],
    ['send', 'a refused token', refused(401, 'BUS::UNAUTHENTICATED'), '401 BUS::LOGIN_FAILED'],
    ['channels', 'a refused token', refused(401, 'BUS::UNAUTHENTICATED'), '403 BUS::FORBIDDEN'],
    ['channels', 'a refused login', loginRefused, '403 BUS::FORBIDDEN'],
    ['send', 'no identity', noIdentity, '401 BUS::LOGIN_FAILED'],
    ['channels', 'no identity', noIdentity, '403 BUS::FORBIDDEN'],
    ['read', 'not enrolled', refused(403, 'BUS::FORBIDDEN'), '403 BUS::FORBIDDEN_RESOURCE'],
    ['read', 'no such address: another service', refused(404), '502 BUS::REQUEST_FAILED'],
    ['send', 'a repeated id at a newer broker', refused(400, 'BUS::DUPLICATE'), '422 BUS::MESSAGE_REJECTED'],
    ['send', 'size', refused(413, 'BUS::TOO_LARGE'), '422 BUS::MESSAGE_REJECTED'],
    ['read', 'an invalid query', refused(400, 'BUS::INVALID_REQUEST'), '400 REQ::INVALID_REQUEST'],
    ['read', 'a 422, which reading does not have', refused(422), '502 BUS::REQUEST_FAILED'],
    ['send', 'too many requests', refused(429, 'BUS::TOO_MANY_REQUESTS'), '502 BUS::REQUEST_FAILED'],
    ['send', 'a request that was not sent', notSent, '502 BUS::REQUEST_FAILED'],
    ['enrol', 'a request that was not sent', notSent, '500 ID::FETCH_CLAIMS_FAILED'],
    ['send', 'an invalid response', invalidResponse, '502 BUS::REQUEST_FAILED'],
    ['enrol', 'an invalid response', invalidResponse, '500 ID::FETCH_CLAIMS_FAILED'],
  ])('%s, %s', (operation, _name, problem, expected) => {
    const { status, code } = mapProblem(problem, operation);
    expect(`${status} ${code}`).toBe(expected);
  });

  it('has the broker’s reason', () => {
    expect(mapProblem(refused(422, 'BUS::SCHEMA_MISMATCH'), 'send').reason).toBe('because');
  });
});
