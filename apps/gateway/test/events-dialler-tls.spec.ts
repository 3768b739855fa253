import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { createAuthority, type Authority, type Credential } from '@ssb/certificates';
import { WebSocketServer } from 'ws';
import { waitFor } from '@ssb/testing';
import { startGateway, type RunningGateway } from './support/running-gateway.js';

/** Nobody listens there: what is tried here is the dialling alone. */
const NO_BROKER = 'http://127.0.0.1:9';

/** A WebSocket server over TLS; `names` are those of the certificates that its clients showed, '' for none. */
interface Dialled {
  readonly url: string;
  readonly names: string[];
  cut(): void;
  /** Shows another certificate from now on. */
  become(credentials: Credential): void;
  close(): Promise<void>;
}

let folder: string;
let authority: Authority;
/** What the server is renewed by, and what a stranger’s certificate is of. */
let other: Authority;
let server: Credential;
let successor: Credential;
let mine: Credential;
let renewed: Credential;
/** One that takes anybody, and one that asks for a client certificate. */
let open: Dialled;
let mutual: Dialled;
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
  const asking = { ca: authority.cert, requestCert: true, rejectUnauthorized: true };
  mutual = await listen(createServer({ ...server, ...asking }));
});

afterEach(async () => {
  for (const each of running.splice(0)) await each.stop();
});

afterAll(async () => {
  for (const each of [open, mutual]) await each?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function listen(https: Server): Promise<Dialled> {
  const sockets = new WebSocketServer({ server: https, handleProtocols: () => 'dsb-messages' });
  const names: string[] = [];
  sockets.on('connection', (_socket, request: IncomingMessage) => {
    const { subject } = (request.socket as TLSSocket).getPeerCertificate();
    names.push(String(subject?.CN ?? ''));
  });
  https.on('tlsClientError', () => undefined);
  https.listen(0, '127.0.0.1');
  await once(https, 'listening');
  const cut = () => sockets.clients.forEach((socket) => socket.terminate());
  return {
    url: `wss://127.0.0.1:${(https.address() as AddressInfo).port}/`,
    names,
    cut,
    become: ({ cert, key }) => https.setSecureContext({ cert, key, ca: authority.cert }),
    close: async () => {
      cut();
      https.close();
      await once(https, 'close');
    },
  };
}

function file(name: string, content: string): string {
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

const refusedTwice = (gateway: RunningGateway) =>
  waitFor('refused twice', () => gateway.logged().split('"dialled-down"').length > 2);

describe('a server with a private certificate', () => {
  it('is dialled when its authority is known', async () => {
    await start(open.url, { EVENTS_CLIENT_CA_FILE: file('ca.pem', authority.cert) });
    await waitFor('connected', () => open.names.length === 1);
  });

  it('is not spoken to when its authority is unknown', async () => {
    const before = open.names.length;
    const gateway = await start(open.url, {});
    await refusedTwice(gateway);
    expect(gateway.logged()).toMatch(/"reason":"[^"]*unable to verify the first certificate/);
    expect(open.names).toHaveLength(before);
  });
});

describe('a server that asks for a client certificate', () => {
  const settings = (name: string, { cert, key }: Credential) => ({
    EVENTS_CLIENT_CA_FILE: file(`${name}.ca`, authority.cert),
    EVENTS_CLIENT_CERT_FILE: file(`${name}.crt`, cert),
    EVENTS_CLIENT_KEY_FILE: file(`${name}.key`, key),
  });

  it.each<[string, () => Promise<Record<string, string>> | Record<string, string>]>([
    ['without one', () => ({ EVENTS_CLIENT_CA_FILE: file('none.ca', authority.cert) })],
    ['with a stranger’s', async () => settings('stranger', await other.issue({ commonName: 'gateway-1' }))],
  ])('does not take the gateway %s', async (_name, overrides) => {
    await refusedTwice(await start(mutual.url, await overrides()));
    expect(mutual.names).toEqual([]);
  });

  it('is shown it, and the renewed one after the files changed; so it is with the server’s authority', async () => {
    const gateway = await start(mutual.url, settings('client', mine));
    const reloads = () => gateway.logged().split('"client-tls-reloaded"').length - 1;
    await waitFor('connected', () => mutual.names.length === 1);
    // A certificate that does not fit the key changes nothing.
    file('client.crt', renewed.cert);
    await waitFor('the refusal', () => gateway.logged().includes('the old ones stay in use'));
    mutual.cut();
    await waitFor('connected again', () => mutual.names.length === 2);
    file('client.key', renewed.key);
    await waitFor('the renewed certificate is in use', () => reloads() === 1);
    mutual.cut();
    await waitFor('connected a third time', () => mutual.names.length === 3);
    expect(mutual.names).toEqual(['gateway-1', 'gateway-1', 'gateway-2']);
    mutual.become(successor);
    file('client.ca', other.cert);
    await waitFor('the new authority is in use', () => reloads() === 2);
    mutual.cut();
    await waitFor('connected to the successor', () => mutual.names.length === 4);
  });
});

describe('the gateway does not start', () => {
  it.each([
    [
      'with a query that /events would refuse',
      () => ({ EVENTS_CLIENT_QUERY: 'ack=explicit' }),
      /EVENTS_CLIENT_QUERY/,
    ],
    [
      'with a certificate and no key',
      () => ({ EVENTS_CLIENT_CERT_FILE: file('lonely', mine.cert) }),
      /go together/,
    ],
    [
      'without the file of an authority',
      () => ({ EVENTS_CLIENT_CA_FILE: join(folder, 'nothing') }),
      /ENOENT/,
    ],
    [
      'with a key of another certificate',
      () => ({
        EVENTS_CLIENT_CERT_FILE: file('a.crt', mine.cert),
        EVENTS_CLIENT_KEY_FILE: file('b.key', renewed.key),
      }),
      /key values mismatch/,
    ],
  ])('%s', async (_name, settings, said) => {
    await expect(start(open.url, settings())).rejects.toThrow(said);
  });
});
