import { once } from 'node:events';
import { connect } from 'node:net';
import { freePort } from '@ssb/dev/free-ports';
import { waitFor } from '@ssb/testing';
import { startGateway, type RunningGateway } from './support/running-gateway.js';
import { sendRaw, AUTHORIZATION, getErrorCode, HOST, CONNECTION_CLOSE } from './support/raw-http.js';

/** Upgrades and the limit of connections, without a broker. */
let gateway: RunningGateway;

beforeAll(async () => {
  gateway = await startGateway(`http://127.0.0.1:${await freePort()}`);
});

afterAll(() => gateway?.stop());

describe('an upgrade', () => {
  const KEY = 'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
  const upgrade = (to: string) => `${HOST}connection: Upgrade, HTTP2-Settings\r\nupgrade: ${to}\r\n`;

  // The default of the HTTP client in Java's standard library.
  const H2C = `${upgrade('h2c')}http2-settings: AAEAAEAAAAIAAAAAAAMAAAAAAAQBAAAAAAUAAEAAAAYABgAA\r\n`;

  it('to an unknown protocol is ignored, and the request is served', async () => {
    // The connection stays open until the second request ends it.
    const second = `GET /api/v1/docs/ws.yaml HTTP/1.1\r\n${HOST}${CONNECTION_CLOSE}\r\n`;
    const response = await sendRaw(gateway, `GET /api/v1/docs/ws.yaml HTTP/1.1\r\n${H2C}\r\n${second}`);
    expect(response.status).toBe(200);
    expect(response.body.match(/HTTP\/1\.1 200/g)).toHaveLength(1);
  });

  it.each([
    ['without a key', 'GET', '/events', 'sec-websocket-version: 13\r\n', 400],
    ['of another version', 'GET', '/events', `sec-websocket-version: 9\r\n${KEY}`, 400],
    ['by POST', 'POST', '/events', `sec-websocket-version: 13\r\n${KEY}`, 400],
    ['at another address', 'GET', '/api/v1/channels', `sec-websocket-version: 13\r\n${KEY}`, 404],
  ])('to a WebSocket %s is refused with an error object', async (_name, method, path, headers, status) => {
    const answer = await sendRaw(
      gateway,
      `${method} ${path} HTTP/1.1\r\n${upgrade('websocket')}${AUTHORIZATION}${headers}\r\n`,
    );
    expect(answer.status).toBe(status);
    expect(answer.head).toMatch(/sec-websocket-version: 13/i);
    expect(getErrorCode(answer)).toMatch(/^REQ::/);
  });
});

describe('the header Origin of a WebSocket upgrade', () => {
  const upgrade = (headers: string) =>
    `GET /events HTTP/1.1\r\n${HOST}connection: Upgrade\r\nupgrade: websocket\r\n${headers}\r\n`;

  it.each(['https://evil.example', 'null', 'not an origin'])(
    'is refused before the credentials when it is %s',
    async (origin) => {
      const answer = await sendRaw(gateway, upgrade(`origin: ${origin}\r\n`));
      expect([answer.status, getErrorCode(answer)]).toEqual([403, 'REQ::FORBIDDEN']);
      expect(answer.head).not.toMatch(/www-authenticate/i);
      const withCredentials = await sendRaw(gateway, upgrade(`origin: ${origin}\r\n${AUTHORIZATION}`));
      expect(withCredentials.status).toBe(403);
    },
  );

  it('does not affect the gateway’s own pages, a client without it, and a listed origin', async () => {
    const hostName = /host: *(\S+)/i.exec(HOST)?.[1] ?? '';
    const listed = await startGateway('http://127.0.0.1:9', {
      ALLOWED_ORIGINS: 'https://a.example, https://console.example',
    });
    try {
      for (const origin of ['', `origin: http://${hostName}\r\n`, 'origin: https://console.example\r\n'])
        expect((await sendRaw(listed, upgrade(origin))).status).toBe(401);
    } finally {
      await listed.stop();
    }
  });
});

describe('connections', () => {
  let small: RunningGateway | undefined;

  afterEach(() => small?.stop());

  it('above the limit are closed, and accepted again when others end', async () => {
    small = await startGateway('http://127.0.0.1:9', { MAX_CONNECTIONS: '10' });
    const server = small;
    const port = Number(new URL(server.url).port);
    const live = async (): Promise<number> => {
      const answer = await sendRaw(
        server,
        `GET /api/v1/docs/ws.yaml HTTP/1.1\r\n${HOST}${CONNECTION_CLOSE}\r\n`,
      ).catch(() => undefined);
      return answer?.status ?? 0;
    };
    const idle = Array.from({ length: 10 }, () => connect(port, '127.0.0.1'));
    await Promise.all(idle.map((socket) => once(socket, 'connect')));
    expect(await live()).not.toBe(200);
    for (const socket of idle) socket.destroy();
    await waitFor('a connection is accepted', async () => (await live()) === 200);
  });
});
