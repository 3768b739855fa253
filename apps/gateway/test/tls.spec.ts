import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { GatewayClient, GatewayStream } from '@ssb/bus';
import { createAuthority, type Authority, type Credential } from '@ssb/dev/certificates';
import { generatePrivateKey } from '@ssb/identity';
import { waitFor } from '@ssb/testing';
import { WebSocketServer } from 'ws';
import { PASSWORD, startGateway, USERNAME, type RunningGateway } from './support/running-gateway.js';
import { LOGIN_SUCCESS } from './support/stub-broker.js';

const HOSTS = ['127.0.0.1'];
/** Nothing listens there. */
const NOWHERE = 'http://127.0.0.1:9';

let folder: string;
let authority: Authority;
/** Issues the successor of the server's certificate, and client certificates that the server does not trust. */
let other: Authority;
let mine: Credential;
let renewed: Credential;

beforeAll(async () => {
  const now = new Date();
  authority = await createAuthority({ name: 'Test authority', now });
  other = await createAuthority({ name: 'Another authority', now });
  mine = await authority.issue({ commonName: 'gateway-1', usage: 'client' });
  renewed = await authority.issue({ commonName: 'gateway-2', usage: 'client' });
  folder = mkdtempSync(join(tmpdir(), 'gateway-tls-'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function writePem(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

it('the gateway’s own port serves REST and WebSocket over TLS, with a renewed certificate while connections stay open', async () => {
  const first = await authority.issue({ commonName: 'first', hosts: HOSTS });
  const second = await authority.issue({ commonName: 'second', hosts: HOSTS });
  const gateway = await startGateway(NOWHERE, {
    TLS_CERT_FILE: writePem('own.crt', first.cert),
    TLS_KEY_FILE: writePem('own.key', first.key),
    TLS_RELOAD_INTERVAL_MS: '50',
  });
  const login = { username: USERNAME, password: PASSWORD, connection: { tls: { ca: authority.cert } } };
  const client = new GatewayClient({ ...login, baseUrl: gateway.url, timeoutMs: 30_000 });
  const states: string[] = [];
  const stream = new GatewayStream({
    ...login,
    url: gateway.url,
    delivery: { mode: 'acknowledged', clientId: 'tls' },
    onMessages: () => undefined,
    onState: ({ state }) => states.push(state),
    onFault: ({ reason }) => states.push(reason),
  });
  /** The common name in the certificate of a new connection. */
  const getServerName = async (): Promise<string> => {
    const port = Number(new URL(gateway.url).port);
    const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    const { CN } = socket.getPeerCertificate().subject;
    socket.destroy();
    return String(CN);
  };
  try {
    expect(gateway.url).toMatch(/^https:/);
    await expect(client.setIdentity('1'.repeat(64))).resolves.toHaveProperty('address');
    stream.start();
    await waitFor('the WebSocket is open', () => states.length > 0);
    const before = [...states];
    expect(await getServerName()).toBe('first');
    // The new certificate does not match the old key.
    writePem('own.crt', second.cert);
    await waitFor('the refusal', () => gateway.logged().includes('server certificate reload failed'));
    expect(await getServerName()).toBe('first');
    writePem('own.key', second.key);
    await waitFor('the renewed certificate', async () => (await getServerName()) === 'second');
    await expect(client.identity()).resolves.toHaveProperty('address');
    expect(states).toEqual(before);
  } finally {
    await stream.stop();
    await client.close();
    await gateway.stop();
  }
});

/** A server in the place of the broker and of a dialled server. `names` are the common names of its clients' certificates. */
interface TlsServer {
  readonly port: number;
  readonly names: string[];
  disconnectAll(): void;
  setCertificate(credential: Credential): void;
  close(): Promise<void>;
}

async function startTlsServer(credential: Credential): Promise<TlsServer> {
  const requireClientCertificate = { ca: authority.cert, requestCert: true, rejectUnauthorized: true };
  const server = createServer({ ...credential, ...requireClientCertificate }, (request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(request.url === '/auth/login' ? JSON.stringify(LOGIN_SUCCESS) : '[]');
  });
  const sockets = new WebSocketServer({ server, handleProtocols: ([first]) => first ?? false });
  const names: string[] = [];
  const open = new Set<Socket>();
  // Also before the end of their handshake, which may show the certificate of an earlier time.
  server.on('connection', (socket: Socket) => open.add(socket.once('close', () => open.delete(socket))));
  server.on('secureConnection', (socket: TLSSocket) => {
    names.push(String(socket.getPeerCertificate().subject.CN));
  });
  server.on('tlsClientError', () => undefined);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const disconnectAll = () => open.forEach((each) => each.destroy());
  return {
    port: (server.address() as AddressInfo).port,
    names,
    disconnectAll,
    setCertificate: ({ cert, key }) => server.setSecureContext({ cert, key, ca: authority.cert }),
    close: async () => {
      disconnectAll();
      sockets.close();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe.each(['BROKER', 'EVENTS_CLIENT'] as const)(
  'a server at %s_URL that requires a client certificate',
  (prefix) => {
    const isBroker = prefix === 'BROKER';
    let server: TlsServer;
    let gateway: RunningGateway | undefined;

    beforeEach(async () => {
      server = await startTlsServer(await authority.issue({ commonName: 'server', hosts: HOSTS }));
    });

    afterEach(async () => {
      await gateway?.stop();
      await server.close();
    });

    const credentials = (name: string, { cert, key }: Credential, ca = authority.cert) => ({
      [`${prefix}_CA_FILE`]: writePem(`${name}.ca`, ca),
      [`${prefix}_CERT_FILE`]: writePem(`${name}.crt`, cert),
      [`${prefix}_KEY_FILE`]: writePem(`${name}.key`, key),
    });

    async function start(settings: Readonly<Record<string, string>>): Promise<RunningGateway> {
      const address = `127.0.0.1:${server.port}`;
      gateway = await startGateway(isBroker ? `https://${address}` : NOWHERE, {
        ...(!isBroker && { EVENTS_CLIENT_URL: `wss://${address}/` }),
        TLS_RELOAD_INTERVAL_MS: '50',
        ...settings,
      });
      if (isBroker) await gateway.client.setIdentity(generatePrivateKey().toHex());
      return gateway;
    }

    it('gets it, and the renewed one after the files changed; a changed authority is used as well', async () => {
      const { names } = server;
      const { client, logged, managementUrl } = await start(credentials('client', mine));
      const reloads = () => logged().split('"client certificates reloaded"').length - 1;
      const reconnect = async (name: string) => {
        names.length = 0;
        server.disconnectAll();
        await waitFor('a WebSocket', () => names.length > 0);
        if (isBroker) await waitFor('a request', () => client.channels().then(Boolean, () => false));
        expect(new Set(names)).toEqual(new Set([name]));
      };
      await waitFor('connected', () => names.length > 0);
      await reconnect('gateway-1');
      const metrics = await (await fetch(`${managementUrl}/metrics`)).text();
      const label = isBroker ? 'broker' : 'events-client';
      expect(metrics).toMatch(new RegExp(`_certificate_days_left\\{interface="${label}"\\} [1-9]`));
      // A certificate that does not match the key changes nothing.
      writePem('client.crt', renewed.cert);
      await waitFor('the refusal', () => logged().includes('client certificate reload failed'));
      await reconnect('gateway-1');
      writePem('client.key', renewed.key);
      await waitFor('the renewed certificate is in use', () => reloads() === 1);
      await reconnect('gateway-2');
      server.setCertificate(await other.issue({ commonName: 'server', hosts: HOSTS }));
      writePem('client.ca', other.cert);
      await waitFor('the new authority is in use', () => reloads() === 2);
      await reconnect('gateway-2');
    });

    it.each<[string, RegExp, () => Promise<Record<string, string>> | Record<string, string>]>([
      ['without one', /./, () => ({ [`${prefix}_CA_FILE`]: writePem('none.ca', authority.cert) })],
      [
        'with one of another authority',
        /./,
        async () => credentials('x', await other.issue({ commonName: 'gateway-1' })),
      ],
      [
        'that does not trust it',
        /self.signed|unable to verify/,
        () => credentials('other', mine, other.cert),
      ],
    ])('has no connection of a gateway %s', async (_name, reason, settings) => {
      const { client, logged } = await start(await settings());
      const disconnected = isBroker ? 'broker stream disconnected' : 'dialled server disconnected';
      const reasons = () => [...logged().matchAll(/"reason":"([^"]*)","retryInMs":\d+,"msg":"([^"]*)"/g)];
      const [, second] = await waitFor('two refusals', () => reasons().length > 1 && reasons());
      expect([second?.[1], second?.[2]]).toEqual([expect.stringMatching(reason), disconnected]);
      if (isBroker) await expect(client.health()).rejects.toMatchObject({ code: 'BUS::REQUEST_FAILED' });
      expect(server.names).toEqual([]);
    });
  },
);

it('the gateway does not start with settings for connections that do not fit together', async () => {
  const cert = writePem('single.crt', mine.cert);
  const otherKey = writePem('other.key', renewed.key);
  for (const [settings, sentence] of [
    [{ EVENTS_CLIENT_CERT_FILE: cert }, 'EVENTS_CLIENT_CERT_FILE and EVENTS_CLIENT_KEY_FILE go together'],
    [{ BROKER_CERT_FILE: cert }, 'BROKER_CERT_FILE and BROKER_KEY_FILE go together'],
    [{ EVENTS_CLIENT_CERT_FILE: cert, EVENTS_CLIENT_KEY_FILE: otherKey }, 'KEY_FILE is not the private key'],
    [{ EVENTS_CLIENT_CA_FILE: join(folder, 'nothing') }, 'ENOENT'],
    [{ EVENTS_CLIENT_PASSWORD: 'x' }, 'EVENTS_CLIENT_PASSWORD goes with EVENTS_CLIENT_USERNAME'],
    [{ EVENTS_CLIENT_QUERY: 'ack=explicit' }, 'EVENTS_CLIENT_QUERY'],
    [{ TRUSTED_PROXIES: 'proxy.example' }, 'TRUSTED_PROXIES is "proxy.example", but it takes networks'],
  ] as const) {
    await expect(startGateway(NOWHERE, settings)).rejects.toThrow(sentence);
  }
});
