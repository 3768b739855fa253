import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Authority, createAuthority, type Credential } from '@ssb/certificates';
import { waitFor } from '@ssb/testing';
import { folder, lines, metric, start, setUpPollerTests, SUMMARY } from './support/running-poller.js';
import { FakeMarket } from './support/fake-market.js';

setUpPollerTests();

const DAY_MS = 86_400_000;
let authority: Authority;
let secure: FakeMarket;

/** A client certificate that expires in so many days. */
const issue = (commonName: string, days: number): Promise<Credential> =>
  authority.issue({ commonName, usage: 'client', notAfter: new Date(Date.now() + days * DAY_MS) });

const file = (name: string): string => join(folder, name);

function write({ cert, key }: Partial<Credential>): void {
  if (cert !== undefined) writeFileSync(file('client.crt'), cert);
  if (key !== undefined) writeFileSync(file('client.key'), key);
}

beforeEach(async () => {
  authority = await createAuthority({ name: 'Test authority', now: new Date() });
  secure = await FakeMarket.start(await authority.issue({ commonName: 'market', hosts: ['127.0.0.1'] }));
  writeFileSync(file('ca.crt'), authority.cert);
  write(await issue('FIRST', 10));
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
  it('are reloaded without a restart, and the metric shows the days left', async () => {
    const { url } = await startSecure();
    await waitFor('the requests', () => secure.callers.includes('FIRST'));
    expect(await daysLeft(url)).toBeCloseTo(10, 1);
    write(await issue('SECOND', 90));
    await waitFor('the requests', () => secure.callers.includes('SECOND'));
    await waitFor('the renewed certificate', async () => (await daysLeft(url)) > 89);
    expect(secure.requests[0]).toBe(SUMMARY);
  });

  it('that are broken are refused with an error line, and the old ones stay in use', async () => {
    const { url } = await startSecure();
    await waitFor('the requests', () => secure.callers.length > 0);
    write({ cert: 'broken' });
    const refused = 'poller_certificate_reloads_total{interface="prudential",outcome="refused"}';
    await waitFor('the refusal in the metrics', async () => (await metric(url, refused)) !== undefined);
    expect(
      lines.filter(({ level, interface: name }) => level === 'error' && name === 'prudential'),
    ).toHaveLength(1);
    const before = secure.callers.length;
    await waitFor('the requests', () => secure.callers.length > before + 3);
    expect(new Set(secure.callers)).toEqual(new Set(['FIRST']));
    expect(await daysLeft(url)).toBeCloseTo(10, 1);
  });
});
