import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { createAuthority, type Authority, type Credential } from '@ssb/dev/certificates';
import { WebSocketServer } from 'ws';
import { waitFor } from '@ssb/testing';
import { startGateway, type RunningGateway } from './support/running-gateway.js';

/** Nothing listens there: these tests need no broker. */
const NO_BROKER = 'http://127.0.0.1:9';

/** A WebSocket server over TLS. `names` are the common names of its clients' certificates, '' for none. */
interface DialledServer {
  readonly url: string;
  readonly names: string[];
  disconnectAll(): void;
  setCertificate(credentials: Credential): void;
  close(): Promise<void>;
}

let folder: string;
let authority: Authority;
/** Issues the renewed server certificate, and client certificates that the server does not trust. */
let other: Authority;
let server: Credential;
let successor: Credential;
let mine: Credential;
let renewed: Credential;
/** A server without client certificates, and a server that requires them. */
let open: DialledServer;
let mutual: DialledServer;
const running: RunningGateway[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'events-dialler-'));
  const now = new Date();
  authority = await createAuthority({ name: 'Test authority', now });
  other = await createAuthority({ name: 'Another authority', now });
  server = await authority.issue({ commonName: 'dialled', hosts: ['127.0.0.1'] });
  successor = await other.issue({ commonName: 'dialled', hosts: ['127.0.0.1'] });
  mine = await authority.issue({ commonName: 'gateway-1', usage: 'client' });
  renewed = await authority.issue({ commonName: 'gateway-2', usage: 'client' });
  open = await listen(createServer(server));
  const requireClientCertificate = { ca: authority.cert, requestCert: true, rejectUnauthorized: true };
  mutual = await listen(createServer({ ...server, ...requireClientCertificate }));
});

afterEach(async () => {
  for (const each of running.splice(0)) await each.stop();
});

afterAll(async () => {
  for (const each of [open, mutual]) await each?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function listen(https: Server): Promise<DialledServer> {
  const sockets = new WebSocketServer({ server: https, handleProtocols: () => 'dsb-messages' });
  const names: string[] = [];
  sockets.on('connection', (_socket, request: IncomingMessage) => {
    const { subject } = (request.socket as TLSSocket).getPeerCertificate();
    names.push(String(subject?.CN ?? ''));
  });
  https.on('tlsClientError', () => undefined);
  https.listen(0, '127.0.0.1');
  await once(https, 'listening');
  const disconnectAll = () => sockets.clients.forEach((socket) => socket.terminate());
  return {
    url: `wss://127.0.0.1:${(https.address() as AddressInfo).port}/`,
    names,
    disconnectAll,
    setCertificate: ({ cert, key }) => https.setSecureContext({ cert, key, ca: authority.cert }),
    close: async () => {
      disconnectAll();
      https.close();
      await once(https, 'close');
    },
  };
}

function writePem(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

async function start(url: string, settings: Readonly<Record<string, string>>): Promise<RunningGateway> {
  const gateway = await startGateway(NO_BROKER, {
    EVENTS_CLIENT_URL: url,
    TLS_RELOAD_INTERVAL_MS: '50',
    ...settings,
  });
  running.push(gateway);
  return gateway;
}

const waitForTwoRefusals = (gateway: RunningGateway) =>
  waitFor('refused twice', () => gateway.logged().split('"dialled server disconnected"').length > 2);

it('a server whose authority is not trusted is not connected', async () => {
  const gateway = await start(open.url, {});
  await waitForTwoRefusals(gateway);
  expect(gateway.logged()).toMatch(/"reason":"[^"]*unable to verify the first certificate/);
  expect(open.names).toEqual([]);
});

describe('a server that requires a client certificate', () => {
  const settings = (name: string, { cert, key }: Credential) => ({
    EVENTS_CLIENT_CA_FILE: writePem(`${name}.ca`, authority.cert),
    EVENTS_CLIENT_CERT_FILE: writePem(`${name}.crt`, cert),
    EVENTS_CLIENT_KEY_FILE: writePem(`${name}.key`, key),
  });

  it.each<[string, () => Promise<Record<string, string>> | Record<string, string>]>([
    ['without one', () => ({ EVENTS_CLIENT_CA_FILE: writePem('none.ca', authority.cert) })],
    [
      'with one of another authority',
      async () => settings('untrusted', await other.issue({ commonName: 'gateway-1' })),
    ],
  ])('refuses the gateway %s', async (_name, overrides) => {
    await waitForTwoRefusals(await start(mutual.url, await overrides()));
    expect(mutual.names).toEqual([]);
  });

  it('gets it, and the renewed one after the files changed; a changed authority is used as well', async () => {
    const gateway = await start(mutual.url, settings('client', mine));
    const reloads = () => gateway.logged().split('"client certificates reloaded"').length - 1;
    await waitFor('connected', () => mutual.names.length === 1);
    // A certificate that does not match the key changes nothing.
    writePem('client.crt', renewed.cert);
    await waitFor('the refusal', () => gateway.logged().includes('client certificate reload failed'));
    mutual.disconnectAll();
    await waitFor('connected again', () => mutual.names.length === 2);
    writePem('client.key', renewed.key);
    await waitFor('the renewed certificate is in use', () => reloads() === 1);
    mutual.disconnectAll();
    await waitFor('connected a third time', () => mutual.names.length === 3);
    expect(mutual.names).toEqual(['gateway-1', 'gateway-1', 'gateway-2']);
    mutual.setCertificate(successor);
    writePem('client.ca', other.cert);
    await waitFor('the new authority is in use', () => reloads() === 2);
    mutual.disconnectAll();
    await waitFor('connected to the successor', () => mutual.names.length === 4);
  });
});

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
  ] as const) {
    await expect(start(open.url, settings)).rejects.toThrow(sentence);
  }
});
