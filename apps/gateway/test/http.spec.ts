import { basicAuthorization } from '@ssb/bus';
import { freePort } from '@ssb/dev/free-ports';
import { request } from 'undici';
import { PASSWORD, startGateway, USERNAME, type RunningGateway } from './support/running-gateway.js';

/** Authentication, the form of errors and the identity, without a broker. */
let gateway: RunningGateway;
const AUTHORIZATION = basicAuthorization(USERNAME, PASSWORD);
const JSON_TYPE = { 'content-type': 'application/json' };

beforeAll(async () => {
  gateway = await startGateway(`http://127.0.0.1:${await freePort()}`);
});

afterAll(() => gateway?.stop());

async function call(
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  headers: Record<string, string>,
  body?: string,
) {
  const answer = await request(gateway.url + path, { method, headers, ...(body !== undefined && { body }) });
  return { status: answer.statusCode, headers: answer.headers, body: await answer.body.json() };
}

describe('credentials', () => {
  it.each([
    ['GET', '/api/v1/config/identity'],
    ['POST', '/api/v1/config/identity'],
    ['GET', '/api/v1/config/enrol'],
    ['POST', '/api/v1/config/enrol'],
    ['GET', '/api/v1/message'],
    ['POST', '/api/v1/message'],
    ['GET', '/api/v1/channels'],
    ['POST', '/api/v1/verifysignature'],
  ] as const)('are required for %s %s, before the body is read', async (method, path) => {
    const answer = await call(method, path, JSON_TYPE, method === 'POST' ? '{' : undefined);
    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toMatch(/^Basic realm=/);
    expect(answer.body).toEqual({ err: { code: 'REQ::UNAUTHENTICATED', reason: expect.any(String) } });
  });

  it('are not required for health', async () => {
    expect((await call('GET', '/api/health', {})).status).toBe(502);
  });
});

describe('the interface files', () => {
  it.each(['*/*', 'application/yaml', 'text/yaml', 'application/json', 'text/html', 'application/yaml;q=0'])(
    'have the media type of RFC 9512, which has no charset, for Accept: %s',
    async (accept) => {
      for (const name of ['rest.yaml', 'ws.yaml']) {
        const url = `${gateway.url}/api/v1/docs/${name}`;
        const { statusCode, headers, body } = await request(url, { headers: { accept } });
        const text = await body.text();
        expect([statusCode, headers['content-type']]).toEqual([200, 'application/yaml']);
        const head = await request(url, { method: 'HEAD', headers: { accept } });
        expect([head.statusCode, head.headers['content-type'], head.headers['content-length']]).toEqual([
          200,
          'application/yaml',
          String(text.length),
        ]);
        await head.body.dump();
      }
    },
  );
});

describe('an invalid request', () => {
  it.each(['fqcn', 'amount', 'from', 'clientId'])('has no value for %s', async (name) => {
    const query = name === 'fqcn' ? 'fqcn=' : `fqcn=a&${name}=`;
    const answer = await call('GET', `/api/v1/message?${query}`, { authorization: AUTHORIZATION });
    expect(answer).toMatchObject({
      status: 400,
      body: { err: { code: 'REQ::INVALID_REQUEST', additionalInformation: [{ field: name }] } },
    });
  });

  it('is HEAD for messages, which would acknowledge them', async () => {
    const headers = { authorization: AUTHORIZATION };
    const answer = await request(`${gateway.url}/api/v1/message?fqcn=a`, { method: 'HEAD', headers });
    expect([answer.statusCode, answer.headers['allow']]).toEqual([405, 'GET, POST']);
  });

  it('is too large a body', async () => {
    const body = `{"fqcn":"a","payload":"${'x'.repeat(17_000_000)}"}`;
    const answer = await call(
      'POST',
      '/api/v1/message',
      { authorization: AUTHORIZATION, ...JSON_TYPE },
      body,
    );
    expect(answer).toMatchObject({ status: 413, body: { err: { code: 'REQ::TOO_LARGE' } } });
  });
});
