import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Authority, createAuthority, type Credential } from '@ssb/dev/certificates';
import { waitFor } from '@ssb/testing';
import { CALCULATIONS } from './support/market-responses.js';
import { folder, lines, metricOf, start, setUpPollerTests } from './support/running-poller.js';
import { FakeMarket } from './support/fake-market.js';
import { health, readiness } from './support/health.js';

setUpPollerTests();

const DAY_MS = 86_400_000;
let authority: Authority;
let server: Credential;
let secure: FakeMarket;

/** A client certificate that expires in so many days. */
const issue = (commonName: string, days: number): Promise<Credential> =>
  authority.issue({ commonName, usage: 'client', notAfter: new Date(Date.now() + days * DAY_MS) });

const file = (name: string): string => join(folder, name);

function write({ cert, key }: Partial<Credential>): void {
  if (cert !== undefined) writeFileSync(file('client.crt'), cert);
  if (key !== undefined) writeFileSync(file('client.key'), key);
}

beforeAll(async () => {
  authority = await createAuthority({ name: 'Test authority', now: new Date() });
  server = await authority.issue({ commonName: 'market', hosts: ['127.0.0.1'] });
});
beforeEach(async () => {
  secure = await FakeMarket.start(server);
  writeFileSync(file('ca.crt'), authority.cert);
  write(await issue('FIRST', 10));
});

afterEach(() => secure.stop());

function startSecure({ url } = secure): ReturnType<typeof start> {
  return start({
    PRUDENTIAL_URL: url,
    SETTLEMENT_URL: url,
    REPORTING_CA_FILE: file('ca.crt'),
    CLIENT_CERT_FILE: file('client.crt'),
    CLIENT_KEY_FILE: file('client.key'),
    TLS_RELOAD_INTERVAL_MS: '50',
  });
}

const daysLeft = async (url: string): Promise<number> =>
  (await metricOf(url, 'certificate_days_left', { interface: 'prudential' })) ?? NaN;

describe('client certificates', () => {
  it('are reloaded without a restart, and broken ones are refused with an error line', async () => {
    const { url } = await startSecure();
    await waitFor('the requests', () => secure.callers.includes('FIRST'));
    expect(await daysLeft(url)).toBeCloseTo(10, 1);
    write({ cert: 'broken' });
    const refused = { interface: 'prudential', outcome: 'refused' };
    await waitFor('the refusal in the metrics', () => metricOf(url, 'certificate_reloads_total', refused));
    expect(
      lines.filter(({ level, interface: name }) => level === 'error' && name === 'prudential'),
    ).toHaveLength(1);
    await waitFor('the fault', async () => (await health(url)).faults.length === 1);
    expect((await health(url)).faults).toMatchObject([
      {
        reason: 'credentials-unusable',
        detail: expect.stringMatching(/client\.crt.* cannot be used: .*The previous files stay in use\.$/),
      },
    ]);
    const before = secure.callers.length;
    await waitFor('the requests', () => secure.callers.length > before + 3);
    expect(new Set(secure.callers)).toEqual(new Set(['FIRST']));
    expect(await daysLeft(url)).toBeCloseTo(10, 1);
    write(await issue('SECOND', 90));
    await waitFor('the requests', () => secure.callers.includes('SECOND'));
    await waitFor('the end of the fault', async () => (await health(url)).status === 'ok');
    expect(await daysLeft(url)).toBeGreaterThan(89);
    expect(secure.requests.some((path) => path.startsWith(`${CALCULATIONS}?`))).toBe(true);
  });
});

describe('a client certificate that the operator refuses', () => {
  /** The reporting interfaces refuse certificates of other authorities, and expired ones, after the handshake (TLS 1.3). */
  let strict: FakeMarket;

  beforeEach(async () => {
    strict = await FakeMarket.start({ ...server, ca: authority.cert });
  });
  afterEach(() => strict.stop());

  const startStrict = (): ReturnType<typeof start> => startSecure(strict);
  const faultsOf = async (url: string): Promise<string[]> =>
    (await health(url)).faults.map(({ reason, detail }) => `${reason}: ${detail}`);

  it('because it has expired is named at the start, and when the connection is closed, until a valid one is loaded', async () => {
    write(await issue('FIRST', -0.1));
    const { url } = await startStrict();
    expect(lines.find(({ msg }) => msg === 'client certificate expired')).toMatchObject({
      interface: 'prudential',
      path: file('client.crt'),
      expiresAt: expect.any(String),
    });
    const refusal = await waitFor('the refusal', () =>
      lines.find(({ kind, activity }) => kind === 'ExpiredCertificateError' && activity === 'prudential'),
    );
    expect((refusal['err'] as { message: string }).message).toMatch(
      /^the operator closes the connection without a response; client certificate .*client\.crt \(FIRST\) expired at 20/,
    );
    expect(await faultsOf(url)).toEqual([
      expect.stringMatching(/^certificate-expired: prudential: the operator .*expired at/),
      expect.stringMatching(/^certificate-expired: settlement: .*expired at/),
    ]);
    expect((await readiness(url)).status).toBe(503);
    write(await issue('SECOND', 90));
    await waitFor('the end of the fault', async () => (await health(url)).status === 'ok');
    expect((await readiness(url)).status).toBe(200);
    await waitFor('a request with the new one', () => strict.callers.includes('SECOND'));
    expect(strict.callers).not.toContain('FIRST');
  });

  it('because of its authority is a fault that names its file and end', async () => {
    const foreign = await createAuthority({ name: 'Foreign authority', now: new Date() });
    write(await foreign.issue({ commonName: 'FIRST', usage: 'client' }));
    const { url } = await startStrict();
    await waitFor('the fault of both interfaces', async () => (await health(url)).faults.length > 1);
    const refused =
      /^certificate-refused: .*without a response; client certificate .*client\.crt \(FIRST\) expires at 20/;
    expect(await faultsOf(url)).toEqual([expect.stringMatching(refused), expect.stringMatching(refused)]);
    await waitFor('readiness of both interfaces', async () => (await readiness(url)).status === 503);
    expect((await readiness(url)).participants).toContain('certificate-refused: the operator closes');
  });
});
