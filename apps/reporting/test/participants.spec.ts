import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { createAuthority, loadAuthority } from '@ssb/dev/certificates';
import * as record from './support/records.js';
import {
  sendRequest,
  runReporting,
  thumbprintOf,
  type RunningReporting,
} from './support/running-reporting.js';

let reporting: RunningReporting;

beforeAll(async () => {
  reporting = await runReporting();
});

afterAll(() => reporting.close());

const STATEMENT = '/api/v2/settlements/WEM/summary/2026-03-01/INITIAL';
const SUMMARY = '/api/v2/prudential/summary/latest';

describe('a loaded record', () => {
  it('is served as the statement of the highest run, with every digit, as the only property data', async () => {
    await reporting.post('/operator/v1/statements', record.statementLoad(8));
    await reporting.post('/operator/v1/statements', record.statementLoad(7));
    const response = await reporting.get(STATEMENT);
    expect(response).toEqual({
      status: 200,
      type: 'application/json; charset=utf-8',
      body: `{"data":${record.statement(8)}}`,
    });
  });

  it('is served as the latest calculation, unless it is a forecast', async () => {
    await reporting.post('/operator/v1/prudential', record.prudentialLoad('2026-03-12T10:00:02', '-0.10'));
    await reporting.post('/operator/v1/prudential', record.prudentialLoad('2026-03-12T10:00:01', '1.00'));
    await reporting.post(
      '/operator/v1/prudential',
      record.prudentialLoad('2026-03-12T10:00:03', '2.00', true),
    );
    expect((await reporting.get(SUMMARY)).body).toBe(
      '{"data":{"participantCode":"WPGENCO","tradingDay":"2026-03-12T00:00:00","outstandingAmount":5000000.50,"tradingMargin":-0.10,"calculatedAt":"2026-03-12T10:00:02"}}',
    );
  });

  it('is listed as a cycle with a run invoiced within the requested days, both included', async () => {
    const [first, second, third] = [
      record.cycle('2026-01-04', ['2026-01-10', '2026-02-10']),
      record.cycle('2026-01-11', ['2026-01-20']),
      record.cycle('2026-01-18', ['2026-01-21']),
    ] as const;
    await reporting.post('/operator/v1/timelines', record.timelineLoad(first, second, third));
    const between = async (from: string, to: string) =>
      (await reporting.get(`/api/v2/settlements/timeline?invoiceDateFrom=${from}&invoiceDateTo=${to}`)).body;
    expect(await between('2026-01-20', '2026-01-20')).toBe(`{"data":{"cycles":[${second}]}}`);
    expect(await between('2026-01-21T00:00:00', '2026-02-10')).toBe(
      `{"data":{"cycles":[${first},${third}]}}`,
    );
    expect(await between('2025-01-01', '2025-12-31')).toBe('{"data":{"cycles":[]}}');
  });
});

describe('access', () => {
  it.each([
    ['without a certificate', async () => ({})],
    [
      'with a certificate of another authority',
      async () => (await otherAuthority()).issue({ commonName: 'WPGENCO' }),
    ],
    [
      'with a certificate of an authority that only has the same name',
      async () => {
        const { key } = await otherAuthority();
        const forgedAuthority = await loadAuthority({ cert: reporting.authority.cert, key }, new Date());
        return forgedAuthority.issue({ commonName: 'WPGENCO' });
      },
    ],
    [
      'with an expired certificate',
      () => reporting.authority.issue({ commonName: 'WPGENCO', notAfter: new Date(Date.now() - 60_000) }),
    ],
  ])('is refused in the handshake %s', async (_what, credentials) => {
    const tls = { ca: reporting.authority.cert, ...(await credentials()) };
    await expect(sendRequest(`${reporting.participantsUrl}${SUMMARY}`, { tls })).rejects.toThrow();
  });

  it('is refused over TLS 1.1', async () => {
    const tls = { ca: reporting.authority.cert, ...reporting.wpgenco, maxVersion: 'TLSv1.1' as const };
    await expect(sendRequest(`${reporting.participantsUrl}${SUMMARY}`, { tls })).rejects.toThrow();
  });

  const otherAuthority = () => createAuthority({ name: 'Another authority', now: new Date() });

  const READ = 'PRUDENTIAL|WPGENCO|R SETTLEMENT|WPGENCO|R';
  it.each([
    ['no token', 'token-missing', async () => ({ token: '' })],
    ['an invalid token', 'token-refused', async () => ({ token: 'abc' })],
    [
      'an expired token',
      'token-refused',
      async () => ({ token: await reporting.tokens.sign(READ, { lifetimeSeconds: -60 }) }),
    ],
    [
      'a token of another issuer',
      'token-refused',
      async () => ({ token: await reporting.tokens.sign(READ, { issuer: 'http://other' }) }),
    ],
    [
      'a token for another service',
      'token-refused',
      async () => ({ token: await reporting.tokens.sign(READ, { audience: 'other' }) }),
    ],
    [
      'a signed token that is not an access token',
      'token-refused',
      async () => ({ token: await reporting.tokens.sign(READ, { type: 'JWT' }) }),
    ],
    [
      'a token with a changed signature',
      'token-refused',
      async () => ({ token: tampered(await reporting.tokens.sign(READ)) }),
    ],
    [
      'a token without the scope',
      'scope-missing',
      async () => ({ token: await reporting.tokens.sign('SETTLEMENT|WPGENCO|R') }),
    ],
    [
      'a scope without the permission to read',
      'scope-missing',
      async () => ({ token: await reporting.tokens.sign('PRUDENTIAL|WPGENCO|CUD') }),
    ],
    [
      'a scope of another participant',
      'scope-missing',
      async () => ({ token: await reporting.tokens.sign('PRUDENTIAL|OTHER|R') }),
    ],
    [
      'a token bound to another certificate',
      'token-of-another-certificate',
      async () => ({ token: await bound(await reporting.authority.issue({ commonName: 'WPGENCO' })) }),
    ],
    [
      'a certificate without a common name',
      'certificate-without-participant',
      async () => ({ as: await reporting.authority.issue({ subject: 'O=WPGENCO' }) }),
    ],
    [
      'a certificate with two common names',
      'certificate-without-participant',
      async () => ({ as: await reporting.authority.issue({ subject: 'CN=WPGENCO, CN=OTHER' }) }),
    ],
  ])('is refused with 403 for %s', async (_what, reason, options) => {
    const response = await reporting.get(SUMMARY, await options());
    expect(response).toMatchObject({
      status: 403,
      type: expect.stringContaining('application/problem+json'),
    });
    expect(JSON.parse(response.body)).toMatchObject({ status: 403, reason, detail: expect.any(String) });
  });

  it('is refused for a token that is bound to anything but a certificate', async () => {
    const token = await reporting.tokens.sign(READ, { claims: { cnf: { jkt: 'abc' } } });
    const { status, body } = await reporting.get(SUMMARY, { token });
    expect([status, JSON.parse(body).reason]).toEqual([403, 'token-of-another-certificate']);
  });

  it('is given for a token bound to the certificate in use', async () => {
    await reporting.post('/operator/v1/prudential', record.prudentialLoad('2026-03-12T10:00:02', '-0.10'));
    expect((await reporting.get(SUMMARY, { token: await bound(reporting.wpgenco) })).status).toBe(200);
  });

  it('depends on no header that names a participant', async () => {
    await reporting.post('/operator/v1/prudential', record.prudentialLoad('2026-03-12T10:00:02', '-0.10'));
    const response = await reporting.get(SUMMARY, { headers: { 'x-participant-code': 'OTHER' } });
    expect([response.status, JSON.parse(response.body).data.participantCode]).toEqual([200, 'WPGENCO']);
  });

  it('is refused for an unbound token when REQUIRE_BOUND_TOKENS is set', async () => {
    const strict = await runReporting({ REQUIRE_BOUND_TOKENS: 'true' });
    const { status, body } = await strict.get(SUMMARY);
    await strict.close();
    expect([status, JSON.parse(body).reason]).toEqual([403, 'token-not-bound']);
  });

  const bound = (credentials: typeof reporting.wpgenco) =>
    reporting.tokens.sign(READ, { claims: { cnf: { 'x5t#S256': thumbprintOf(credentials) } } });
});

describe('a request', () => {
  it.each([
    '/',
    '/health/live',
    '/metrics',
    '/operator/v1/timelines',
    '/api/v2/settlements/WEM/summary/%00/INITIAL',
  ])('is answered with 404 at any other address of the participants’ port: %s', async (path) => {
    expect((await reporting.get(path)).status).toBe(404);
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
    'is answered with 404 for the method %s',
    async (method) => {
      const { status, body } = await requestSummary(method);
      expect([status, JSON.parse(body).reason]).toEqual([404, 'no-such-address']);
    },
  );

  it('is answered for HEAD as for GET, without the body', async () => {
    await reporting.post('/operator/v1/prudential', record.prudentialLoad('2026-03-12T10:00:02', '-0.10'));
    const type = 'application/json; charset=utf-8';
    expect(await requestSummary('HEAD')).toEqual({ status: 200, type, body: '' });
  });

  /** Requests the latest outstanding amount with a valid token. */
  async function requestSummary(method: string) {
    const authorization = `Bearer ${await reporting.tokens.sign('PRUDENTIAL|WPGENCO|R')}`;
    const tls = { ca: reporting.authority.cert, ...reporting.wpgenco };
    return sendRequest(`${reporting.participantsUrl}${SUMMARY}`, { tls, headers: { authorization }, method });
  }
});

it.each([
  ['participants', () => reporting.participantsUrl],
  ['operator', () => reporting.operatorUrl],
])('bytes that are not a request get problem details at the %s port', async (_port, url) => {
  const address = { port: Number(new URL(url()).port), host: '127.0.0.1' };
  const { cert: ca } = reporting.authority;
  const isTls = url().startsWith('https:');
  const socket = isTls ? connectTls({ ...address, ca, ...reporting.wpgenco }) : connect(address);
  socket.write('GARBAGE\r\n\r\n');
  const [head, body = ''] = (await text(socket)).split('\r\n\r\n');
  expect(head).toMatch(/^HTTP\/1\.1 400 [^]*^content-type: application\/problem\+json/im);
  expect(JSON.parse(body)).toMatchObject({ type: 'about:blank', status: 400 });
});

function tampered(token: string): string {
  const at = token.lastIndexOf('.') + 10;
  return token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1);
}
