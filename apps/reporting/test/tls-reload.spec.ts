import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { createAuthority } from '@ssb/dev/certificates';
import { waitFor } from '@ssb/testing';
import { Pool } from 'undici';
import {
  sendRequest,
  runReporting,
  thumbprintOf,
  type RunningReporting,
} from './support/running-reporting.js';

const REFUSED = 'settlement_bridge_reporting_tls_reloads_total{outcome="refused"}';

let reporting: RunningReporting;

beforeAll(async () => {
  reporting = await runReporting({ TLS_RELOAD_INTERVAL_MS: '10' });
});

afterAll(() => reporting.close());

it('uses a renewed certificate for new connections and keeps those that are open', async () => {
  const { cert: ca } = reporting.authority;
  const open = new Pool(reporting.participantsUrl, { connections: 1, connect: { ca, ...reporting.wpgenco } });
  const refused = await metric(REFUSED);
  let connections = 0;
  open.on('connect', () => connections++);
  await request(open);
  const renewed = await reporting.authority.issue({ commonName: '127.0.0.1', hosts: ['127.0.0.1'] });
  // The new key does not match the old certificate, so a reload between the two writes is refused.
  await writeFile(join(reporting.folder, 'server.key'), renewed.key);
  await waitFor('the refusal', async () => (await metric(REFUSED)) > refused);
  await request(open);
  await writeFile(join(reporting.folder, 'server.crt'), renewed.cert);
  await waitFor('the renewed certificate', async () => (await servedThumbprint()) === thumbprintOf(renewed));
  await request(open);
  expect(connections).toBe(1);
  await open.close();
});

it('refuses a malformed file, counts the refusal and keeps the old one', async () => {
  const before = await servedThumbprint();
  const refused = await metric(REFUSED);
  await writeFile(
    join(reporting.folder, 'ca.crt'),
    '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----',
  );
  await waitFor('the refusal', async () => (await metric(REFUSED)) > refused);
  expect(await servedThumbprint()).toBe(before);
  expect((await reporting.get('/openapi.json', { as: reporting.wpgenco })).status).toBe(200);
});

it('accepts certificates of a renewed authority', async () => {
  const other = await createAuthority({ name: 'Other authority', now: new Date() });
  const tls = { ca: reporting.authority.cert, ...(await other.issue({ commonName: 'WPGENCO' })) };
  const requestOpenApi = () => sendRequest(`${reporting.participantsUrl}/openapi.json`, { tls });
  await expect(requestOpenApi()).rejects.toThrow();
  await writeFile(join(reporting.folder, 'ca.crt'), `${reporting.authority.cert}\n${other.cert}`);
  await waitFor(
    'the renewed authority',
    async () => (await requestOpenApi().catch(() => undefined))?.status === 200,
  );
});

it('reports how many days the certificate is still valid', async () => {
  const days = await metric('settlement_bridge_reporting_server_certificate_days_left');
  expect(days).toBeCloseTo(397, 1);
});

async function request(pool: Pool): Promise<void> {
  const { statusCode, body } = await pool.request({ method: 'GET', path: '/openapi.json' });
  await body.dump();
  expect(statusCode).toBe(200);
}

function servedThumbprint(): Promise<string> {
  const { port } = new URL(reporting.participantsUrl);
  return new Promise((resolve, reject) => {
    const socket = connect({
      host: '127.0.0.1',
      port: Number(port),
      ca: reporting.authority.cert,
      ...reporting.wpgenco,
    });
    socket.once('error', reject);
    socket.once('secureConnect', () => {
      const certificate = socket.getPeerX509Certificate();
      socket.destroy();
      resolve(certificate === undefined ? '' : thumbprintOf({ cert: certificate.toString(), key: '' }));
    });
  });
}

async function metric(name: string): Promise<number> {
  const { body } = await sendRequest(`${reporting.managementUrl}/metrics`);
  const line = body.split('\n').find((each) => each.startsWith(`${name} `));
  return line === undefined ? 0 : Number(line.slice(name.length));
}
