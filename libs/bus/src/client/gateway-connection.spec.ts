import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { TLSSocket } from 'node:tls';
import { type Authority, createAuthority, type Credential } from '@ssb/dev/certificates';
import { NoProxyList, type ClientConnection, type TlsMaterial } from '@ssb/net';
import { type ConnectProxy, createPkcs12, startConnectProxy, waitFor } from '@ssb/testing/in-process';
import { WebSocketServer } from 'ws';
import { GatewayClient } from './gateway-client.js';
import { GatewayUnreachableError } from './gateway-errors.js';
import { GatewayStream } from './gateway-stream.js';
import type { StreamState } from './gateway-stream-options.js';

const HOST = 'gateway.test';
const LOGIN = { username: 'bridge', password: 'password' };
const callers: unknown[] = [];
let authority: Authority;
let credential: Credential;
let own: Credential;
let server: Server;
let sockets: WebSocketServer;
let proxy: ConnectProxy;
let url: string;

const callerOf = (socket: unknown): unknown =>
  socket instanceof TLSSocket ? socket.getPeerCertificate().subject?.CN : undefined;

beforeAll(async () => {
  authority = await createAuthority({ name: 'Private authority', now: new Date() });
  credential = await authority.issue({ commonName: 'bridge', usage: 'client' });
  own = await authority.issue({ commonName: HOST, hosts: [HOST] });
  server = createServer({ ...own, ca: authority.cert, requestCert: true }, ({ socket }, response) => {
    callers.push(callerOf(socket));
    response.end();
  });
  sockets = new WebSocketServer({ server });
  sockets.on('connection', (_, { socket }) => callers.push(callerOf(socket)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `https://${HOST}:${(server.address() as AddressInfo).port}`;
  proxy = await startConnectProxy();
});
beforeEach(() => {
  callers.length = 0;
  proxy.silent = false;
  server.setSecureContext({ ...own, ca: authority.cert });
});
afterAll(async () => {
  await proxy.stop();
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
});

const connection = (tls: TlsMaterial): ClientConnection => ({
  tls,
  proxy: { url: proxy.url, except: NoProxyList.EMPTY },
});

function openStream(
  tls: TlsMaterial,
  livenessMs?: number,
  target = url,
): { stream: GatewayStream; states: StreamState[] } {
  const states: StreamState[] = [];
  const stream = new GatewayStream({
    ...LOGIN,
    url: target,
    connection: connection(tls),
    delivery: { mode: 'acknowledged', clientId: 'connections' },
    onMessages: () => undefined,
    onState: (state) => states.push(state),
    onFault: () => undefined,
    ...(livenessMs !== undefined && { livenessMs }),
  });
  stream.start();
  return { stream, states };
}

const openClient = (tls: TlsMaterial, target = url): GatewayClient =>
  new GatewayClient({ ...LOGIN, baseUrl: target, timeoutMs: 5_000, connection: connection(tls) });

it.each<[string, () => TlsMaterial]>([
  ['PEM', () => ({ ca: authority.cert, ...credential })],
  [
    'PKCS#12',
    () => ({ ca: authority.cert, pfx: createPkcs12(credential, 'hunter2'), passphrase: 'hunter2' }),
  ],
])(
  'REST and WebSocket use the proxy, the private authority and the client certificate (%s)',
  async (_, tls) => {
    const before = proxy.tunnels.length;
    const client = openClient(tls());
    await client.health();
    await client.close();
    const { stream, states } = openStream(tls());
    await waitFor('the stream', () => states.length > 0);
    await stream.stop();
    expect(states[0]).toEqual({ state: 'connected' });
    expect(callers).toEqual(['bridge', 'bridge']);
    expect(proxy.tunnels.slice(before)).toEqual([new URL(url).host, new URL(url).host]);
  },
);

it.each<[string, () => TlsMaterial, RegExp]>([
  ['authority', () => credential, /self.signed certificate/],
  ['client certificate', () => ({ ca: authority.cert }), /./],
])('both fail without the %s', async (_, tls, reason) => {
  const client = openClient(tls());
  await expect(client.health()).rejects.toThrow(GatewayUnreachableError);
  await expect(client.health()).rejects.toThrow(reason);
  await client.close();
  const { stream, states } = openStream(tls());
  await waitFor('the end of the attempt', () => states.length > 0);
  await stream.stop();
  expect(states[0]).toEqual(
    expect.objectContaining({ state: 'disconnected', reason: expect.stringMatching(reason) }),
  );
  expect(callers).toEqual([]);
});

it.each([
  ['is connected to with a certificate for its address', ['2001:db8::10'], undefined],
  [
    'is refused with a certificate for the host of the proxy',
    ['127.0.0.1', 'localhost'],
    /IP: .* is not in the cert's list/,
  ],
])('a gateway at an address behind the proxy %s', async (_, hosts, refusal) => {
  const issued = await authority.issue({ commonName: 'gateway', hosts });
  server.setSecureContext({ ...issued, ca: authority.cert });
  const target = url.replace(HOST, '[2001:db8::10]');
  const tls = { ca: authority.cert, ...credential };
  const client = openClient(tls, target);
  const failure: unknown = await client.health().catch((error: unknown) => error);
  await client.close();
  const { stream, states } = openStream(tls, undefined, target);
  await waitFor('the end of the attempt', () => states.length > 0);
  await stream.stop();
  const [state] = states;
  if (refusal) {
    expect(String(failure)).toMatch(refusal);
    expect(state).toEqual(expect.objectContaining({ reason: expect.stringMatching(refusal) }));
  } else expect([failure, state]).toEqual([undefined, { state: 'connected' }]);
  expect(callers).toEqual(refusal ? [] : ['bridge', 'bridge']);
});

it('the stream ends its connection to a proxy that does not respond', async () => {
  proxy.silent = true;
  const { stream } = openStream({ ca: authority.cert, ...credential });
  await waitFor('the connection to the proxy', () => proxy.clients > 0);
  await stream.stop();
  await waitFor('its end', () => proxy.clients === 0);
});

it('the stream tries again after a proxy did not respond in time', async () => {
  proxy.silent = true;
  const { stream, states } = openStream({ ca: authority.cert, ...credential }, 50);
  await waitFor('the end of the attempt', () => states.length > 0);
  expect(states[0]).toMatchObject({ reason: 'Opening handshake has timed out' });
  proxy.silent = false;
  await waitFor('the stream', () => states.some(({ state }) => state === 'connected'));
  await stream.stop();
});
