import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  cryptoProvider,
  PemConverter,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';
import { WebSocketServer } from 'ws';
import { eventually } from '../testing/eventually.js';
import { startGateway } from '../testing/running-gateway.js';

cryptoProvider.set(webcrypto as unknown as Parameters<typeof cryptoProvider.set>[0]);

const HOUR_MS = 3_600_000;
/** Nobody listens there: what is tried here is the dialling alone. */
const NO_BROKER = 'http://127.0.0.1:9';

let folder: string;
let server: Server;
let sockets: WebSocketServer;
let url: string;
let connections = 0;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'events-dialler-'));
  const signingAlgorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await webcrypto.subtle.generateKey(signingAlgorithm, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=dialled',
    keys,
    signingAlgorithm,
    notBefore: new Date(Date.now() - HOUR_MS),
    notAfter: new Date(Date.now() + HOUR_MS),
    extensions: [new SubjectAlternativeNameExtension([{ type: 'ip', value: '127.0.0.1' }])],
  });
  const key = PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY');
  const cert = certificate.toString('pem');
  writeFileSync(join(folder, 'ca.pem'), cert);
  server = createServer({ key, cert });
  sockets = new WebSocketServer({ server, handleProtocols: () => 'dsb-messages' });
  sockets.on('connection', () => (connections += 1));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `wss://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});

afterAll(async () => {
  for (const socket of sockets.clients) socket.terminate();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

it('dials over TLS a server whose authority it knows', async () => {
  const gateway = await startGateway(NO_BROKER, {
    EVENTS_CLIENT_URL: url,
    EVENTS_CLIENT_CA_FILE: join(folder, 'ca.pem'),
  });
  try {
    await eventually('connected', () => connections === 1);
  } finally {
    await gateway.stop();
  }
});

it('speaks to no server whose authority it does not know', async () => {
  const before = connections;
  const gateway = await startGateway(NO_BROKER, { EVENTS_CLIENT_URL: url });
  try {
    await eventually('refused twice', () => gateway.logged().split('"dialled-down"').length > 2);
    expect(gateway.logged()).toMatch(/"reason":"[^"]*self.signed certificate/);
    expect(connections).toBe(before);
  } finally {
    await gateway.stop();
  }
});

it('starts with no query that /events would refuse', async () => {
  const starting = startGateway(NO_BROKER, { EVENTS_CLIENT_URL: url, EVENTS_CLIENT_QUERY: 'ack=explicit' });
  await expect(starting).rejects.toThrow('EVENTS_CLIENT_QUERY');
});
