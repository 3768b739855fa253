import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls, createServer, type TLSSocket } from 'node:tls';
import { GatewayClient, GatewayStream } from '@ssb/bus';
import { createAuthority, type Authority, type Credential } from '@ssb/certificates';
import { freePort } from '@ssb/free-ports';
import { waitFor } from '@ssb/testing';
import { startRealBroker, type RealBroker } from './support/real-broker.js';
import { PASSWORD, startGateway, USERNAME, type RunningGateway } from './support/running-gateway.js';

/** Where a server of these tests is reached. */
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

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

describe('the gateway’s own port', () => {
  /** The name in the certificate that a new connection is shown. */
  async function shownName(port: number): Promise<string> {
    const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    const { CN } = socket.getPeerCertificate().subject;
    socket.destroy();
    return String(CN);
  }

  it('waits, when it stops, for no connection on which nobody has asked for anything', async () => {
    const { cert, key } = await authority.issue({ commonName: 'own', hosts: HOSTS });
    const gateway = await startGateway(`http://127.0.0.1:${await freePort()}`, {
      TLS_CERT_FILE: file('stop.crt', cert),
      TLS_KEY_FILE: file('stop.key', key),
    });
    const port = Number(new URL(gateway.url).port);
    const silent = connect(port, '127.0.0.1').resume();
    const greeted = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false }).resume();
    const ended = Promise.all([once(silent, 'close'), once(greeted, 'close')]);
    await Promise.all([once(silent, 'connect'), once(greeted, 'secureConnect')]);
    // The gateway has them once it answers another that came later.
    await shownName(port);
    await gateway.stop();
    await ended;
  });

  it('serves REST and WebSocket over TLS, and a renewed certificate without ending what is open', async () => {
    const first = await authority.issue({ commonName: 'first', hosts: HOSTS });
    const second = await authority.issue({ commonName: 'second', hosts: HOSTS });
    const gateway = await startGateway(`http://127.0.0.1:${await freePort()}`, {
      TLS_CERT_FILE: file('own.crt', first.cert),
      TLS_KEY_FILE: file('own.key', first.key),
      TLS_RELOAD_INTERVAL_MS: '50',
    });
    const login = { username: USERNAME, password: PASSWORD };
    const client = new GatewayClient({
      ...login,
      baseUrl: gateway.url,
      timeoutMs: 5_000,
      ca: authority.cert,
    });
    const states: string[] = [];
    const stream = new GatewayStream({
      ...login,
      url: gateway.url,
      ca: authority.cert,
      clientId: 'tls',
      onMessages: () => undefined,
      onState: ({ state }) => states.push(state),
    });
    try {
      expect(gateway.url).toMatch(/^https:/);
      await expect(client.setIdentity('1'.repeat(64))).resolves.toHaveProperty('address');
      stream.start();
      await waitFor('the WebSocket is open', () => states.length > 0);
      const before = [...states];
      const port = Number(new URL(gateway.url).port);
      expect(await shownName(port)).toBe('first');
      // The certificate alone does not fit the key that is still there.
      file('own.crt', second.cert);
      await waitFor('the refusal', () => gateway.logged().includes('the old certificate stays in use'));
      expect(await shownName(port)).toBe('first');
      file('own.key', second.key);
      await waitFor('the renewed certificate', async () => (await shownName(port)) === 'second');
      await expect(client.identity()).resolves.toHaveProperty('address');
      expect(states).toEqual(before);
    } finally {
      await stream.stop();
      await client.close();
      await gateway.stop();
    }
  });

  it('is not opened with a certificate and no key', async () => {
    const { cert } = await authority.issue({ commonName: 'alone', hosts: HOSTS });
    await expect(
      startGateway('http://127.0.0.1:1', { TLS_CERT_FILE: file('alone.crt', cert) }),
    ).rejects.toThrow(/TLS_CERT_FILE and TLS_KEY_FILE go together/);
  });
});

describe('a broker that asks for a client certificate', () => {
  let broker: RealBroker;
  let server: Credential;
  let mine: Credential;
  let renewed: Credential;
  /** What stands before the broker, with each connection that it let in by the name of its certificate. */
  let door: { url: string; names: string[]; cut(): void; close(): Promise<void> };

  beforeAll(async () => {
    broker = await startRealBroker();
    server = await authority.issue({ commonName: 'broker', hosts: HOSTS });
    mine = await authority.issue({ commonName: 'gateway-1', usage: 'client' });
    renewed = await authority.issue({ commonName: 'gateway-2', usage: 'client' });
    door = await openDoor();
  });

  afterAll(async () => {
    await door?.close();
    await broker?.stop();
  });

  async function openDoor(): Promise<typeof door> {
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
    const cut = () => open.forEach((each) => each.destroy());
    return {
      url: `https://127.0.0.1:${(tls.address() as AddressInfo).port}`,
      names,
      cut,
      close: async () => {
        cut();
        tls.close();
        await once(tls, 'close');
      },
    };
  }

  const settings = (name: string, { cert, key }: Credential, ca = authority.cert) => ({
    BROKER_CA_FILE: file(`${name}.ca`, ca),
    BROKER_CERT_FILE: file(`${name}.crt`, cert),
    BROKER_KEY_FILE: file(`${name}.key`, key),
    TLS_RELOAD_INTERVAL_MS: '50',
  });

  async function withGateway(
    overrides: Record<string, string>,
    run: (gateway: RunningGateway) => Promise<void>,
  ) {
    const gateway = await startGateway(door.url, overrides);
    try {
      await run(gateway);
    } finally {
      await gateway.stop();
    }
  }

  it('is shown one by REST calls and by the stream, and the renewed one after it changed', async () => {
    await withGateway(settings('client', mine), async (gateway) => {
      await gateway.enrolNew(broker);
      await waitFor('the stream', () => gateway.logged().includes('stream-connected'));
      expect(new Set(door.names)).toEqual(new Set(['gateway-1']));
      // A certificate that does not fit the key changes nothing.
      file('client.crt', renewed.cert);
      await waitFor('the refusal', () => gateway.logged().includes('the old ones stay in use'));
      file('client.key', renewed.key);
      await waitFor('the new certificate', () => gateway.logged().includes('client-tls-reloaded'));
      await expect(gateway.client.channels()).resolves.toEqual([]);
      expect(new Set(door.names)).toEqual(new Set(['gateway-1']));
      door.names.length = 0;
      door.cut();
      await waitFor('both are connected anew', async () => {
        await gateway.client.channels().catch(() => undefined);
        return gateway.logged().split('stream-connected').length > 2;
      });
      expect(new Set(door.names)).toEqual(new Set(['gateway-2']));
    });
  });

  it.each<[string, () => Promise<Record<string, string>> | Record<string, string>]>([
    ['without a certificate', () => ({ BROKER_CA_FILE: file('none.ca', authority.cert) })],
    ['with a stranger’s', async () => settings('stranger', await other.issue({ commonName: 'gateway-1' }))],
    ['while its own is not believed', () => settings('other', mine, other.cert)],
  ])('is as good as unreachable %s', async (_name, overrides) => {
    await withGateway(await overrides(), async ({ client }) => {
      await expect(client.health()).rejects.toMatchObject({ status: 502, code: 'BUS::REQUEST_FAILED' });
    });
  });

  it('cannot be shown a certificate without its key: the gateway does not start', async () => {
    await expect(startGateway(door.url, { BROKER_CERT_FILE: file('lonely.crt', mine.cert) })).rejects.toThrow(
      /BROKER_CERT_FILE and BROKER_KEY_FILE go together/,
    );
  });
});
