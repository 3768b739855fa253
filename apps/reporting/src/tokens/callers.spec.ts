import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAuthority, type Credential } from '@ssb/certificates';
import { waitFor } from '@ssb/testing';
import { prudentialLoad } from '../testing/records.js';
import {
  exchange,
  runReporting,
  thumbprintOf,
  type Get,
  type RunningReporting,
} from '../testing/running-reporting.js';
import { Callers } from './callers.js';
import { TrustedProxies, TrustedProxyError } from './trusted-proxies.js';

const SUMMARY = '/api/v2/prudential/summary/latest';
const READ = 'PRUDENTIAL|WPGENCO|R';

let reporting: RunningReporting | undefined;

afterEach(async () => {
  await reporting?.close();
  reporting = undefined;
});

async function start(settings: Record<string, string>): Promise<RunningReporting> {
  reporting = await runReporting(settings);
  await reporting.post('/operator/v1/prudential', prudentialLoad('2026-03-12T10:00:02', '-0.10'));
  return reporting;
}

async function outcome(running: RunningReporting, options: Get): Promise<unknown> {
  const { status, body } = await running.get(SUMMARY, options);
  return status === 200 ? 200 : (JSON.parse(body) as { reason: unknown }).reason;
}

/** The headers of a proxy that has verified WPGENCO’s certificate. */
const told = (participant: string | string[] = 'WPGENCO', thumbprint?: string | string[]): Get => ({
  headers: {
    'x-participant-code': participant,
    ...(thumbprint !== undefined && { 'x-client-certificate-sha256': thumbprint }),
  },
});

describe('a participant named by the certificate', () => {
  it('is read from the place that is set, or told by the map, whose changes are taken', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'map-'));
    const map = join(folder, 'map.json');
    await writeFile(map, '{"bySubject":{"CN=client-7":"WPGENCO"}}');
    const running = await start({
      PARTICIPANT_FROM: 'subject.OU',
      PARTICIPANT_FORM: 'desk-{code}',
      PARTICIPANT_MAP_FILE: map,
      FILES_RELOAD_INTERVAL_MS: '10',
    });
    const [desk, seven, eight] = await Promise.all([
      running.authority.issue({ subject: 'OU=desk-WPGENCO, CN=client-6' }),
      running.authority.issue({ commonName: 'client-7' }),
      running.authority.issue({ commonName: 'client-8' }),
    ]);
    expect(await outcome(running, { as: desk })).toBe(200);
    expect(await outcome(running, { as: running.wpgenco })).toBe('certificate-names-nobody');
    expect(await outcome(running, { as: seven })).toBe(200);
    expect(await outcome(running, { as: eight })).toBe('certificate-names-nobody');
    await writeFile(map, JSON.stringify({ byFingerprint: { [thumbprintOf(eight)]: 'WPGENCO' } }));
    await waitFor('the new map', async () => (await outcome(running, { as: eight })) === 200);
    expect(await outcome(running, { as: seven })).toBe('certificate-names-nobody');
    await rm(folder, { recursive: true });
  });
});

describe('a participant told by a proxy', () => {
  it('is believed from a trusted address, without a certificate of the proxy; a bound token needs its thumbprint', async () => {
    const running = await start({ TRUSTED_PROXIES: '10.0.0.0/8,127.0.0.0/8', REQUIRE_BOUND_TOKENS: 'true' });
    const thumbprint = thumbprintOf(running.wpgenco);
    const hex = Buffer.from(thumbprint, 'base64url').toString('hex');
    const otherHex = hex.replace(/^./, (first) => (first === '0' ? '1' : '0'));
    const token = await running.tokens.sign(READ, { claims: { cnf: { 'x5t#S256': thumbprint } } });
    const free = await running.tokens.sign(READ);
    const ask = (options: Get) => outcome(running, { as: {}, token, ...options });
    expect(await ask(told('WPGENCO', thumbprint))).toBe(200);
    expect(await ask(told('WPGENCO', hex))).toBe(200);
    expect(await ask(told('WPGENCO', [hex, hex]))).toBe('proxy-names-nobody');
    expect(await ask(told('WPGENCO', otherHex))).toBe('token-of-another-certificate');
    expect(await ask(told())).toBe('token-of-another-certificate');
    expect(await ask({ ...told('WPGENCO', hex), token: free })).toBe('token-not-bound');
    expect(await ask(told('OTHER', hex))).toBe('scope-missing');
    expect(await ask({})).toBe('proxy-names-nobody');
    expect(await ask(told(['WPGENCO', 'OTHER'], hex))).toBe('proxy-names-nobody');
    expect(await ask(told('', hex))).toBe('proxy-names-nobody');
  });

  it('is refused from an address that is not trusted, where some are; its connection must have a certificate', async () => {
    const running = await start({ TRUSTED_PROXIES: '192.0.2.0/24' });
    expect(await outcome(running, told())).toBe('proxy-not-trusted');
    const thumbprintAlone = { 'x-client-certificate-sha256': 'abc' };
    expect(await outcome(running, { headers: thumbprintAlone })).toBe('proxy-not-trusted');
    expect(await outcome(running, {})).toBe(200);
    await expect(running.get(SUMMARY, { as: {} })).rejects.toThrow();
  });

  it('is believed from a proxy known by its certificate, and from nobody else', async () => {
    const authority = await createAuthority({ name: 'Test authority', now: new Date() });
    const [server, proxy, other] = await Promise.all([
      authority.issue({ commonName: '127.0.0.1', hosts: ['127.0.0.1'] }),
      authority.issue({ commonName: 'proxy' }),
      authority.issue({ commonName: 'OTHER' }),
    ]);
    const callers = new Callers({
      place: 'subject.CN',
      form: '{code}',
      proxies: new TrustedProxies([`sha256:${thumbprintOf(proxy)}`]),
      participantHeader: 'x-participant-code',
      thumbprintHeader: 'x-client-certificate-sha256',
    });
    const tls = { ...server, ca: authority.cert, requestCert: true };
    const listener = createServer(tls, (request, response) =>
      response.end(JSON.stringify(callers.of(request))),
    );
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    const url = `https://127.0.0.1:${(listener.address() as AddressInfo).port}`;
    const as = async (credentials: Credential): Promise<unknown> => {
      const options = { tls: { ca: authority.cert, ...credentials }, ...told() };
      return JSON.parse((await exchange(url, options)).body);
    };
    expect(await as(proxy)).toEqual({ ok: true, participant: 'WPGENCO' });
    expect(await as(other)).toMatchObject({ ok: false, reason: 'proxy-not-trusted' });
    await new Promise((resolve) => listener.close(resolve));
  });
});

it.each(['10.0.0.0/33', '10.0.0', 'sha256:abc', 'proxy.example', '::1/129', '10.0.0.0/8/8'])(
  'takes %s for no proxy',
  (entry) => {
    expect(() => new TrustedProxies([entry])).toThrow(TrustedProxyError);
  },
);
