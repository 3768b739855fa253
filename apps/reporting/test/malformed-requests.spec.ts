import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { runReporting, type RunningReporting } from './support/running-reporting.js';

let reporting: RunningReporting;

beforeAll(async () => {
  reporting = await runReporting();
}, 180_000);

afterAll(() => reporting?.close());

/** Sends the bytes. Returns all bytes that the server sends until it closes the connection. */
async function sendBytes(port: 'participants' | 'operator', bytes: string): Promise<string> {
  const { authority, wpgenco, participantsUrl, operatorUrl } = reporting;
  const address = (url: string) => ({ port: Number(new URL(url).port), host: '127.0.0.1' });
  const socket =
    port === 'operator'
      ? connect(address(operatorUrl))
      : connectTls({
          ...address(participantsUrl),
          ca: authority.cert,
          cert: wpgenco.cert,
          key: wpgenco.key,
        });
  socket.write(bytes);
  const response = await text(socket);
  socket.destroy();
  return response;
}

const HOST = 'host: x\r\n';
const CLOSE = 'connection: close\r\n';

describe.each(['participants', 'operator'] as const)('the %s port', (port) => {
  it.each([
    ['text that is not HTTP', 'GARBAGE\r\n\r\n', 400],
    ['no host header', `GET /openapi.json HTTP/1.1\r\n${CLOSE}\r\n`, 400],
    ['two host headers', `GET /openapi.json HTTP/1.1\r\n${HOST}${HOST}${CLOSE}\r\n`, 400],
    ['two host headers on an unknown path', `GET /x HTTP/1.1\r\n${HOST}${HOST}${CLOSE}\r\n`, 400],
    [
      'two content-length headers',
      `GET /openapi.json HTTP/1.1\r\n${HOST}content-length: 1\r\ncontent-length: 2\r\n\r\n`,
      400,
    ],
    ['headers of more than 16 KiB', `GET / HTTP/1.1\r\n${HOST}x: ${'x'.repeat(16_384)}\r\n\r\n`, 431],
  ])('answers %s with problem details (RFC 9457)', async (_title, bytes, status) => {
    const [head = '', body = ''] = (await sendBytes(port, bytes)).split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(head).toMatch(/^content-type: application\/problem\+json/im);
    expect(JSON.parse(body)).toEqual({
      type: 'about:blank',
      title: expect.any(String),
      status,
      detail: expect.any(String),
    });
  });
});
