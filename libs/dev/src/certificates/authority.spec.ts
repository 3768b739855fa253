import { X509Certificate, createPrivateKey } from 'node:crypto';
import { createAuthority, loadAuthority, type Authority, type Credential } from './authority.js';

const DAY_MS = 86_400_000;
// RFC 5280 §4.2.1.12.
const SERVER = '1.3.6.1.5.5.7.3.1';
const CLIENT = '1.3.6.1.5.5.7.3.2';

const now = new Date(Math.floor(Date.now() / 1_000) * 1_000);
const later = (days: number): Date => new Date(now.getTime() + days * DAY_MS);
const read = ({ cert }: Credential): X509Certificate => new X509Certificate(cert);
const validity = (credential: Credential): Date[] => {
  const { validFrom, validTo } = read(credential);
  return [new Date(validFrom), new Date(validTo)];
};

let authority: Authority;
let other: Authority;

beforeAll(async () => {
  authority = await createAuthority({ name: 'An authority, of tests', now });
  other = await createAuthority({ name: 'Another', now });
});

describe('an authority', () => {
  it('signs its own certificate, by default for 825 days', async () => {
    const own = read(authority);
    expect([own.subject, own.ca]).toEqual(['CN=An authority\\, of tests', true]);
    expect(own.checkIssued(own) && own.verify(own.publicKey)).toBe(true);
    expect(own.checkPrivateKey(createPrivateKey(authority.key))).toBe(true);
    expect(validity(authority)).toEqual([later(-1), later(825)]);
    expect(validity(await createAuthority({ name: 'short', now, days: 2 }))).toEqual([later(-1), later(2)]);
  });

  it('is the same when it is loaded', async () => {
    const loaded = await loadAuthority({ cert: authority.cert, key: authority.key }, now);
    expect(read(loaded).raw).toEqual(read(authority).raw);
    expect(loaded.key).toBe(authority.key);
    const issued = read(await loaded.issue({ commonName: 'any' }));
    expect(issued.checkIssued(read(authority)) && issued.verify(read(authority).publicKey)).toBe(true);
  });

  it.each(['cert', 'key'] as const)('is not loaded when its %s cannot be read', async (part) => {
    await expect(loadAuthority({ ...authority, [part]: 'broken' }, now)).rejects.toThrow();
  });
});

describe('an issued certificate', () => {
  it('is signed by this authority only, and has its own key and serial number', async () => {
    const [one, two] = [
      await authority.issue({ commonName: 'any' }),
      await authority.issue({ commonName: 'any' }),
    ];
    const issued = read(one);
    expect(issued.ca).toBe(false);
    expect(issued.checkIssued(read(authority)) && issued.verify(read(authority).publicKey)).toBe(true);
    expect(issued.checkIssued(read(other)) || issued.verify(read(other).publicKey)).toBe(false);
    expect(issued.checkPrivateKey(createPrivateKey(one.key))).toBe(true);
    expect(issued.checkPrivateKey(createPrivateKey(two.key))).toBe(false);
    expect(issued.serialNumber).not.toBe(read(two).serialNumber);
  });

  it('names its subject: a common name, or a whole name', async () => {
    const subjectOf = async (...[options]: Parameters<Authority['issue']>) =>
      read(await authority.issue(options)).toLegacyObject().subject;
    expect(await subjectOf({ commonName: 'A, O=B' })).toEqual({ CN: 'A, O=B' });
    expect(await subjectOf({ subject: 'O=Company, OU=desk, CN=a, CN=b' })).toEqual({
      O: 'Company',
      OU: 'desk',
      CN: ['a', 'b'],
    });
    expect(await subjectOf({ subject: '2.5.4.5=AB-7' })).toEqual({ serialNumber: 'AB-7' });
  });

  it('is for the given hosts', async () => {
    const hosts = ['localhost', 'a.example', '127.0.0.1', '::1'];
    const issued = read(await authority.issue({ commonName: 'c.example', hosts }));
    expect(issued.subjectAltName).toBe(
      'DNS:localhost, DNS:a.example, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1',
    );
    expect([issued.checkHost('a.example'), issued.checkIP('::1')]).toEqual(['a.example', '::1']);
    expect([issued.checkHost('b.example'), issued.checkIP('127.0.0.2')]).toEqual([undefined, undefined]);
    expect(read(await authority.issue({ commonName: 'none' })).subjectAltName).toBeUndefined();
  });

  it.each([
    ['server', [SERVER]],
    ['client', [CLIENT]],
    [undefined, [SERVER, CLIENT]],
  ] as const)('is for the given usage: %s', async (usage, purposes) => {
    const issued = read(await authority.issue({ commonName: 'any', ...(usage && { usage }) }));
    expect(issued.keyUsage).toEqual(purposes);
  });

  it('ends after 397 days, with its authority when that is sooner, or at the given time', async () => {
    const notAfter = later(-0.5);
    const short = await createAuthority({ name: 'short', now, days: 2 });
    expect(validity(await authority.issue({ commonName: 'any' }))).toEqual([later(-1), later(397)]);
    expect(validity(await short.issue({ commonName: 'any' }))).toEqual([later(-1), later(2)]);
    expect(validity(await authority.issue({ commonName: 'any', notAfter }))).toEqual([later(-1), notAfter]);
  });
});
