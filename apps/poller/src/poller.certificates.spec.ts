import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  PemConverter,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
  cryptoProvider,
} from '@peculiar/x509';
import { folder, lines, metric, start, surroundEachTest, SUMMARY, until } from './testing/running-poller.js';
import { SmallMarket } from './testing/small-market.js';

cryptoProvider.set(webcrypto as unknown as Parameters<typeof cryptoProvider.set>[0]);
surroundEachTest();

const DAY_MS = 86_400_000;
let secure: SmallMarket;

/** A certificate that vouches for itself; PEM. */
async function selfSigned(name: string, days: number): Promise<{ cert: string; key: string }> {
  const signingAlgorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await webcrypto.subtle.generateKey(signingAlgorithm, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
    keys,
    signingAlgorithm,
    notBefore: new Date(Date.now() - DAY_MS),
    notAfter: new Date(Date.now() + days * DAY_MS),
    extensions: [new SubjectAlternativeNameExtension([{ type: 'ip', value: '127.0.0.1' }])],
  });
  const der = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  return { cert: certificate.toString('pem'), key: PemConverter.encode(der, 'PRIVATE KEY') };
}

const file = (name: string): string => join(folder, name);

function write({ cert, key }: { cert?: string; key?: string }): void {
  if (cert !== undefined) writeFileSync(file('client.crt'), cert);
  if (key !== undefined) writeFileSync(file('client.key'), key);
}

beforeEach(async () => {
  const server = await selfSigned('market', 1);
  secure = await SmallMarket.start(server);
  writeFileSync(file('ca.crt'), server.cert);
  write(await selfSigned('FIRST', 10));
});

afterEach(() => secure.stop());

function startSecure(): ReturnType<typeof start> {
  return start({
    PRUDENTIAL_URL: secure.url,
    REPORTING_CA_FILE: file('ca.crt'),
    CLIENT_CERT_FILE: file('client.crt'),
    CLIENT_KEY_FILE: file('client.key'),
    TLS_RELOAD_INTERVAL_MS: '50',
  });
}

const daysLeft = async (url: string): Promise<number> =>
  Number((await metric(url, 'poller_certificate_days_left{interface="prudential"}'))?.split(' ')[1]);

describe('client certificates', () => {
  it('are renewed without a restart, and their days are told', async () => {
    const { url } = await startSecure();
    await until(() => secure.callers.includes('FIRST'));
    expect(await daysLeft(url)).toBeCloseTo(10, 1);
    write(await selfSigned('SECOND', 90));
    await until(() => secure.callers.includes('SECOND'));
    await until(async () => (await daysLeft(url)) > 89);
    expect(secure.asked[0]).toBe(SUMMARY);
  });

  it('that are broken are refused aloud, and the old ones stay in use', async () => {
    const { url } = await startSecure();
    await until(() => secure.callers.length > 0);
    write({ cert: 'broken' });
    const refused = 'poller_certificate_reloads_total{interface="prudential",outcome="refused"}';
    await until(async () => (await metric(url, refused)) !== undefined);
    expect(
      lines.filter(({ level, interface: name }) => level === 'error' && name === 'prudential'),
    ).toHaveLength(1);
    const before = secure.callers.length;
    await until(() => secure.callers.length > before + 3);
    expect(new Set(secure.callers)).toEqual(new Set(['FIRST']));
    expect(await daysLeft(url)).toBeCloseTo(10, 1);
  });
});
