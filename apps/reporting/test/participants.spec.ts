import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { createAuthority, loadAuthority } from '@ssb/dev/certificates';
import * as record from './support/records.js';
import {
  type GetOptions,
  sendRequest,
  runReporting,
  thumbprintOf,
  type RunningReporting,
} from './support/running-reporting.js';
import type { TokenOptions } from './support/token-service.js';

let reporting: RunningReporting;

beforeAll(async () => {
  reporting = await runReporting();
  await reporting.post('/operator/v1/prudential', record.prudentialLoad('2026-03-12T10:00:02', '-0.10'));
});

afterAll(() => reporting.close());

const SUMMARY = '/api/v2/prudential/summary/latest';

describe('access', () => {
  it('is refused in the handshake to another certificate, and over TLS 1.1', async () => {
    const { authority, wpgenco } = reporting;
    const other = await createAuthority({ name: 'Another authority', now: new Date() });
    const sameName = await loadAuthority({ cert: authority.cert, key: other.key }, new Date());
    const notAfter = new Date(Date.now() - 60_000);
    const refused = {
      none: {},
      'of another authority': await other.issue({ commonName: 'WPGENCO' }),
      'of an authority that only has the same name': await sameName.issue({ commonName: 'WPGENCO' }),
      expired: await authority.issue({ commonName: 'WPGENCO', notAfter }),
      'over TLS 1.1': { ...wpgenco, maxVersion: 'TLSv1.1' as const },
    };
    const accepted: string[] = [];
    for (const [name, credentials] of Object.entries(refused)) {
      const tls = { ca: authority.cert, ...credentials };
      await sendRequest(`${reporting.participantsUrl}${SUMMARY}`, { tls }).then(
        () => accepted.push(name),
        () => undefined,
      );
    }
    expect(accepted).toEqual([]);
  });

  const READ = 'PRUDENTIAL|WPGENCO|R SETTLEMENT|WPGENCO|R';
  const sign = (options: TokenOptions) => async () => ({ token: await reporting.tokens.sign(READ, options) });
  const withScope = (scope: string) => async () => ({ token: await reporting.tokens.sign(scope) });

  it.each<[string, string, () => Promise<GetOptions>]>([
    ['no token', 'token-missing', async () => ({ token: '' })],
    ['an invalid token', 'token-refused', async () => ({ token: 'abc' })],
    ['an expired token', 'token-refused', sign({ lifetimeSeconds: -60 })],
    ['a token of another issuer', 'token-refused', sign({ issuer: 'http://other' })],
    ['a token for another service', 'token-refused', sign({ audience: 'other' })],
    ['a signed token that is not an access token', 'token-refused', sign({ type: 'JWT' })],
    [
      'a token with a changed signature',
      'token-refused',
      async () => ({ token: tampered(await reporting.tokens.sign(READ)) }),
    ],
    ['a token without the scope', 'scope-missing', withScope('SETTLEMENT|WPGENCO|R')],
    ['a scope of another participant', 'scope-missing', withScope('PRUDENTIAL|OTHER|R')],
    [
      'a token bound to another certificate',
      'token-of-another-certificate',
      async () => ({ token: await bound(await reporting.authority.issue({ commonName: 'WPGENCO' })) }),
    ],
    [
      'a token that is bound to anything but a certificate',
      'token-of-another-certificate',
      sign({ claims: { cnf: { jkt: 'abc' } } }),
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

  it('is given for a token bound to the certificate in use, whatever participant a header names', async () => {
    const options = { token: await bound(reporting.wpgenco), headers: { 'x-participant-code': 'OTHER' } };
    const { status, body } = await reporting.get(SUMMARY, options);
    expect([status, JSON.parse(body).data.participantCode]).toEqual([200, 'WPGENCO']);
  });

  const bound = (credentials: typeof reporting.wpgenco) =>
    reporting.tokens.sign(READ, { claims: { cnf: { 'x5t#S256': thumbprintOf(credentials) } } });
});

it.each([
  '/',
  '/health/live',
  '/metrics',
  '/operator/v1/timelines',
  '/api/v2/settlements/WEM/summary/%00/INITIAL',
])('responds 404 at any other address of the participants’ port: %s', async (path) => {
  expect((await reporting.get(path)).status).toBe(404);
});

it('responds to HEAD as to GET, without the body, and 404 to every other method', async () => {
  const authorization = `Bearer ${await reporting.tokens.sign('PRUDENTIAL|WPGENCO|R')}`;
  const tls = { ca: reporting.authority.cert, ...reporting.wpgenco };
  const send = (method: string) =>
    sendRequest(`${reporting.participantsUrl}${SUMMARY}`, { tls, headers: { authorization }, method });
  const type = 'application/json; charset=utf-8';
  expect(await send('HEAD')).toEqual({ status: 200, type, body: '' });
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
    const { status, body } = await send(method);
    expect([method, status, JSON.parse(body).reason]).toEqual([method, 404, 'no-such-address']);
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
