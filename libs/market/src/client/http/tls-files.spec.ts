import { type Authority, createAuthority } from '@ssb/certificates';
import { type IssuedMaterial, issueMaterial } from '../../testing/issued-material.js';
import { parseTlsFiles, listTlsFiles, UnusableTlsFilesError } from './tls-files.js';

const FILES = { ca: 'ca.crt', cert: 'tls.crt', key: 'tls.key' };
let authority: Authority;
let first: IssuedMaterial;
let second: IssuedMaterial;

beforeAll(async () => {
  authority = await createAuthority({ name: 'Test CA', now: new Date() });
  first = await issueMaterial(authority, 'FIRST');
  second = await issueMaterial(authority, 'SECOND');
});

const read = ({ ca, cert, key }: IssuedMaterial) =>
  parseTlsFiles(
    FILES,
    [ca, cert, key].map((text) => Buffer.from(text)),
  );

describe('the contents of TLS files', () => {
  it('are returned unchanged', () => {
    expect(listTlsFiles(FILES)).toEqual(['ca.crt', 'tls.crt', 'tls.key']);
    expect(read(first).material).toEqual(first);
  });

  it('give the end and the common name of the client certificate', async () => {
    const end = new Date('2031-02-03T04:05:06Z');
    expect(read(await issueMaterial(authority, 'PART1', end))).toMatchObject({
      expiresAt: end,
      commonName: 'PART1',
    });
  });

  it('can have no client certificate and no authority', () => {
    expect(parseTlsFiles({}, [])).toEqual({ material: {}, expiresAt: undefined, commonName: undefined });
    expect(parseTlsFiles({ ca: 'ca.crt' }, [Buffer.from(first.ca)]).material).toEqual({ ca: first.ca });
  });

  it('can have a chain after the client certificate', () => {
    const cert = `${first.cert}\n${authority.cert}\n`;
    expect(read({ ...first, cert }).material.cert).toBe(cert);
  });

  it.each(['cert', 'key'] as const)('are refused when there is only a %s', (name) => {
    expect(() => parseTlsFiles({ [name]: FILES[name] }, [Buffer.from(first[name])])).toThrow(
      'certificate and key go together',
    );
  });

  it.each<[string, () => Partial<IssuedMaterial>, string]>([
    ['a certificate without its key', () => ({ cert: second.cert }), 'the key is not the certificate’s'],
    ['no certificate', () => ({ cert: 'hello' }), 'there is no PEM certificate in it'],
    [
      'half a certificate',
      () => ({ cert: second.cert.replace(/\n.*\n-----END/, '\n-----END') }),
      'a certificate in it cannot be read',
    ],
    ['no key', () => ({ key: 'hello' }), 'the key is not the certificate’s'],
    ['an empty authority', () => ({ ca: '' }), 'there is no PEM certificate in it'],
    ['a huge file', () => ({ ca: ' '.repeat(1024 * 1024 + 1) }), 'it is far too large'],
  ])('are refused when there is %s', (_, changed, reason) => {
    expect(() => read({ ...first, ...changed() })).toThrow(UnusableTlsFilesError);
    expect(() => read({ ...first, ...changed() })).toThrow(reason);
  });
});
