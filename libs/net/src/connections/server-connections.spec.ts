import { type Authority, createAuthority, type Credential } from '@ssb/dev/certificates';
import {
  type ConnectProxy,
  createPkcs12,
  type ScriptedServer,
  startConnectProxy,
  startScriptedServer,
  waitFor,
} from '@ssb/testing/in-process';
import type { ClientConnection } from './client-connection.js';
import { IpNetworks, NetworkNotAllowedError } from './ip-networks.js';
import { NoProxyList } from './proxy-settings.js';
import { ServerConnections } from './server-connections.js';
import type { TlsMaterial } from './tls-files.js';

const HOST = 'server.test';
let authority: Authority;
let client: Credential;
let server: ScriptedServer;
let proxy: ConnectProxy;
let opened: ServerConnections[];

beforeAll(async () => {
  authority = await createAuthority({ name: 'Private authority', now: new Date() });
  client = await authority.issue({ commonName: 'PART1', usage: 'client' });
  const credential = await authority.issue({ commonName: HOST, hosts: [HOST, '127.0.0.1', 'localhost'] });
  server = await startScriptedServer({ ...credential, ca: authority.cert, requestCert: true });
  server.respond = () => ({ status: 200, body: '{}' });
  proxy = await startConnectProxy();
});
beforeEach(() => {
  opened = [];
  server.received.length = 0;
  proxy.credentials = undefined;
  proxy.silent = false;
});
afterEach(() => Promise.all(opened.map((each) => each.destroy())));
afterAll(async () => {
  await proxy.stop();
  await server.stop();
});

function open(host: string, connection: ClientConnection, timeoutMs = 10_000): ServerConnections {
  const url = new URL(server.url);
  url.hostname = host;
  const connections = new ServerConnections(url, connection, { connections: 1, timeoutMs });
  opened.push(connections);
  return connections;
}

/** @returns the common name of the client certificate that the server received */
async function send(connections: ServerConnections): Promise<unknown> {
  const { body } = await connections.request({ method: 'GET', path: '/' });
  await body.dump();
  return server.received.at(-1)?.caller;
}

const through = (url = proxy.url): Pick<ClientConnection, 'proxy'> => ({
  proxy: { url, except: NoProxyList.EMPTY },
});

describe('connections through a proxy', () => {
  it.each<[string, () => TlsMaterial]>([
    ['PEM', () => client],
    ['PKCS#12', () => ({ pfx: createPkcs12(client, 'hunter2'), passphrase: 'hunter2' })],
  ])('have the private authority and the client certificate (%s)', async (_, tls) => {
    const before = proxy.tunnels.length;
    const connections = open(HOST, { ...through(), tls: { ca: authority.cert, ...tls() } });
    expect([await send(connections), await send(connections)]).toEqual(['PART1', 'PART1']);
    expect(proxy.tunnels.slice(before)).toEqual([`${HOST}:${new URL(server.url).port}`]);
  });

  it('do not trust a server of another authority', async () => {
    await expect(send(open(HOST, { ...through(), tls: client }))).rejects.toThrow(/self.signed certificate/);
  });

  it('fail without the client certificate', async () => {
    await expect(send(open(HOST, { ...through(), tls: { ca: authority.cert } }))).rejects.toThrow();
    expect(server.received).toHaveLength(0);
  });

  it('authenticate at the proxy', async () => {
    proxy.credentials = 'bridge:p@ss/word';
    const tls = { ca: authority.cert, ...client };
    const url = new URL(proxy.url);
    await expect(send(open(HOST, { ...through(), tls }))).rejects.toThrow('Proxy response (407)');
    Object.assign(url, { username: 'bridge', password: encodeURIComponent('p@ss/word') });
    await send(open(HOST, { ...through(url.href), tls }));
    expect(server.received).toHaveLength(1);
  });

  it('end within the timeout when the proxy does not respond', async () => {
    proxy.silent = true;
    const connections = open(HOST, { ...through(), tls: client }, 200);
    await expect(send(connections)).rejects.toThrow();
    await connections.close();
    await waitFor('the end of the connection to the proxy', () => proxy.clients === 0);
  });

  it('are not used for loopback', async () => {
    const before = proxy.tunnels.length;
    await send(open('127.0.0.1', { ...through(), tls: { ca: authority.cert, ...client } }));
    expect(proxy.tunnels).toHaveLength(before);
  });
});

it('uses renewed certificates for the next request', async () => {
  let tls: TlsMaterial = { ca: authority.cert, ...client };
  const connections = open('127.0.0.1', {
    get tls() {
      return tls;
    },
  });
  expect(await send(connections)).toBe('PART1');
  tls = { ca: authority.cert, ...(await authority.issue({ commonName: 'PART2', usage: 'client' })) };
  expect(await send(connections)).toBe('PART2');
  await connections.renewed();
});

describe('allowed networks', () => {
  const connect = (host: string, network: string): Promise<unknown> =>
    send(
      open(host, { tls: { ca: authority.cert, ...client }, allowedNetworks: IpNetworks.parse([network]) }),
    );

  it.each(['127.0.0.1', 'localhost'])(
    'contain the address of %s, or no connection is opened',
    async (host) => {
      await connect(host, '127.0.0.0/8');
      expect(server.received).toHaveLength(1);
      await expect(connect(host, '10.0.0.0/8')).rejects.toThrow(NetworkNotAllowedError);
      expect(server.received).toHaveLength(1);
    },
  );

  it.each(['[::ffff:127.0.0.1]', '0x7f.1', '2130706433'])(
    'are checked for %s, another form of the address',
    async (host) => {
      await expect(connect(host, '10.0.0.0/8')).rejects.toThrow(NetworkNotAllowedError);
      expect(server.received).toHaveLength(0);
    },
  );
});
