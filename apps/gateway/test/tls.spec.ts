import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls, createServer, type TLSSocket } from 'node:tls';
import { GatewayClient, GatewayStream } from '@ssb/bus';
import { createAuthority, type Authority, type Credential } from '@ssb/dev/certificates';
import { freePort } from '@ssb/dev/free-ports';
import { waitFor } from '@ssb/testing';
import { startRealBroker, type RealBroker } from './support/real-broker.js';
import { PASSWORD, startGateway, USERNAME, type RunningGateway } from './support/running-gateway.js';

const HOSTS = ['127.0.0.1'];

let folder: string;
let authority: Authority;
let other: Authority;

beforeAll(async () => {
  authority = await createAuthority({ name: 'Test authority', now: new Date() });
  other = await createAuthority({ name: 'Another authority', now: new Date() });
  folder = mkdtempSync(join(tmpdir(), 'gateway-tls-'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function writePem(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

describe('the gateway’s own port', () => {
  /** The common name in the certificate of a new connection. */
  async function getServerName(port: number): Promise<string> {
    const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    const { CN } = socket.getPeerCertificate().subject;
    socket.destroy();
    return String(CN);
  }

  it('serves REST and WebSocket over TLS, and uses a renewed certificate while connections stay open', async () => {
    const first = await authority.issue({ commonName: 'first', hosts: HOSTS });
    const second = await authority.issue({ commonName: 'second', hosts: HOSTS });
    const gateway = await startGateway(`http://127.0.0.1:${await freePort()}`, {
      TLS_CERT_FILE: writePem('own.crt', first.cert),
      TLS_KEY_FILE: writePem('own.key', first.key),
      TLS_RELOAD_INTERVAL_MS: '50',
    });
    const login = { username: USERNAME, password: PASSWORD };
    const client = new GatewayClient({
      ...login,
      baseUrl: gateway.url,
      timeoutMs: 5_000,
      connection: { tls: { ca: authority.cert } },
    });
    const states: string[] = [];
    const stream = new GatewayStream({
      ...login,
      url: gateway.url,
      connection: { tls: { ca: authority.cert } },
      delivery: { mode: 'acknowledged', clientId: 'tls' },
      onMessages: () => undefined,
      onState: ({ state }) => states.push(state),
      onFault: ({ reason }) => states.push(reason),
    });
    try {
      expect(gateway.url).toMatch(/^https:/);
      await expect(client.setIdentity('1'.repeat(64))).resolves.toHaveProperty('address');
      stream.start();
      await waitFor('the WebSocket is open', () => states.length > 0);
      const before = [...states];
      const port = Number(new URL(gateway.url).port);
      expect(await getServerName(port)).toBe('first');
      // The new certificate does not match the old key.
      writePem('own.crt', second.cert);
      await waitFor('the refusal', () => gateway.logged().includes('server certificate reload failed'));
      expect(await getServerName(port)).toBe('first');
      writePem('own.key', second.key);
      await waitFor('the renewed certificate', async () => (await getServerName(port)) === 'second');
      await expect(client.identity()).resolves.toHaveProperty('address');
      expect(states).toEqual(before);
    } finally {
      await stream.stop();
      await client.close();
      await gateway.stop();
    }
  });
});

describe('a broker that requires a client certificate', () => {
  let broker: RealBroker;
  let server: Credential;
  let mine: Credential;
  let renewed: Credential;
  /** A TLS proxy before the broker; `names` are the common names of its clients' certificates. */
  let proxy: { url: string; names: string[]; disconnectAll(): void; close(): Promise<void> };

  beforeAll(async () => {
    broker = await startRealBroker();
    server = await authority.issue({ commonName: 'broker', hosts: HOSTS });
    mine = await authority.issue({ commonName: 'gateway-1', usage: 'client' });
    renewed = await authority.issue({ commonName: 'gateway-2', usage: 'client' });
    proxy = await startTlsProxy();
  });

  afterAll(async () => {
    await proxy?.close();
    await broker?.stop();
  });

  async function startTlsProxy(): Promise<typeof proxy> {
    const names: string[] = [];
    const open = new Set<Socket>();
    const target = Number(new URL(broker.url).port);
    const tls = createServer(
      { ...server, ca: authority.cert, requestCert: true, rejectUnauthorized: true },
      (socket: TLSSocket) => {
        names.push(String(socket.getPeerCertificate().subject.CN));
        const onward = connect(target, '127.0.0.1');
        for (const each of [socket, onward]) {
          open.add(each);
          each.on('error', () => undefined);
          each.on('close', () => {
            open.delete(each);
            socket.destroy();
            onward.destroy();
          });
        }
        socket.pipe(onward).pipe(socket);
      },
    );
    tls.on('tlsClientError', () => undefined);
    tls.listen(0, '127.0.0.1');
    await once(tls, 'listening');
    const disconnectAll = () => open.forEach((each) => each.destroy());
    return {
      url: `https://127.0.0.1:${(tls.address() as AddressInfo).port}`,
      names,
      disconnectAll,
      close: async () => {
        disconnectAll();
        tls.close();
        await once(tls, 'close');
      },
    };
  }

  const settings = (name: string, { cert, key }: Credential, ca = authority.cert) => ({
    BROKER_CA_FILE: writePem(`${name}.ca`, ca),
    BROKER_CERT_FILE: writePem(`${name}.crt`, cert),
    BROKER_KEY_FILE: writePem(`${name}.key`, key),
    TLS_RELOAD_INTERVAL_MS: '50',
  });

  async function withGateway(
    overrides: Record<string, string>,
    run: (gateway: RunningGateway) => Promise<void>,
  ) {
    const gateway = await startGateway(proxy.url, overrides);
    try {
      await run(gateway);
    } finally {
      await gateway.stop();
    }
  }

  it('gets it from requests and from the stream, and the renewed one after it changed', async () => {
    await withGateway(settings('client', mine), async (gateway) => {
      await gateway.enrolNewIdentity(broker);
      await waitFor('the stream', () => gateway.logged().includes('broker stream connected'));
      expect(new Set(proxy.names)).toEqual(new Set(['gateway-1']));
      const metrics = await (await fetch(`${gateway.managementUrl}/metrics`)).text();
      expect(metrics).toMatch(/^settlement_bus_gateway_certificate_days_left\{interface="broker"\} [1-9]/m);
      // A certificate that does not match the key changes nothing.
      writePem('client.crt', renewed.cert);
      await waitFor('the refusal', () => gateway.logged().includes('client certificate reload failed'));
      writePem('client.key', renewed.key);
      await waitFor('the new certificate', () => gateway.logged().includes('client certificates reloaded'));
      await expect(gateway.client.channels()).resolves.toEqual([]);
      expect(new Set(proxy.names)).toEqual(new Set(['gateway-1']));
      proxy.names.length = 0;
      proxy.disconnectAll();
      await waitFor('both are connected again', async () => {
        await gateway.client.channels().catch(() => undefined);
        return gateway.logged().split('broker stream connected').length > 2;
      });
      expect(new Set(proxy.names)).toEqual(new Set(['gateway-2']));
    });
  });

  it.each<[string, () => Promise<Record<string, string>> | Record<string, string>]>([
    ['without a certificate', () => ({ BROKER_CA_FILE: writePem('none.ca', authority.cert) })],
    [
      'with a certificate of another authority',
      async () => settings('untrusted', await other.issue({ commonName: 'gateway-1' })),
    ],
    ['while its own certificate is not trusted', () => settings('other', mine, other.cert)],
  ])('is unreachable %s', async (_name, overrides) => {
    await withGateway(await overrides(), async ({ client }) => {
      await expect(client.health()).rejects.toMatchObject({ status: 502, code: 'BUS::REQUEST_FAILED' });
    });
  });
});
