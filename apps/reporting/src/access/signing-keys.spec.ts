import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, jwtVerify, type JWTVerifyGetKey } from 'jose';
import { remoteKeys } from './signing-keys.js';

let server: Server;
let respond: RequestListener;
let jwks: string;
let token: string;
let keys: () => JWTVerifyGetKey;

beforeAll(async () => {
  server = createServer((request, response) => respond(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  keys = () => remoteKeys(`http://127.0.0.1:${port}/keys`, undefined);
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  jwks = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256' }] });
  token = await new SignJWT().setProtectedHeader({ alg: 'ES256', kid: 'one' }).sign(privateKey);
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

it('fetches the keys of many tokens once', async () => {
  let fetches = 0;
  respond = (_request, response) => {
    fetches += 1;
    response.end(jwks);
  };
  const own = keys();
  await Promise.all([jwtVerify(token, own), jwtVerify(token, own)]);
  await jwtVerify(token, own);
  expect(fetches).toBe(1);
});

it.each<[string, RequestListener, string]>([
  [
    'responds with an error',
    (_request, response) => response.writeHead(500).end(jwks),
    'the response was 500',
  ],
  [
    'redirects',
    ({ url }, response) =>
      url === '/keys' ? response.writeHead(302, { location: '/elsewhere' }).end() : response.end(jwks),
    'fetch failed',
  ],
  ['closes the connection', (_request, response) => response.destroy(), 'fetch failed'],
  [
    'sends too many keys',
    (_request, response) => response.end(jwks.padEnd(300 * 1024)),
    'more than 262144 bytes',
  ],
])('verifies no token while the service %s', async (_what, listener, why) => {
  respond = listener;
  await expect(jwtVerify(token, keys())).rejects.toMatchObject({
    name: 'KeysUnreachableError',
    message: expect.stringContaining(why),
  });
});
