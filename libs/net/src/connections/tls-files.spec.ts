import { type Authority, createAuthority, type Credential } from '@ssb/dev/certificates';
import { createPkcs12 } from '@ssb/testing/in-process';
import { parseTlsFiles, listTlsFiles, UnusableTlsFilesError, type TlsFileNames } from './tls-files.js';

interface IssuedMaterial extends Credential {
  readonly ca: string;
}

const FILES = { ca: 'ca.crt', cert: 'tls.crt', key: 'tls.key' };
let authority: Authority;
let first: IssuedMaterial;
let second: IssuedMaterial;

beforeAll(async () => {
  authority = await createAuthority({ name: 'Test CA', now: new Date() });
  first = await issueMaterial(authority, 'FIRST');
  second = await issueMaterial(authority, 'SECOND');
});

async function issueMaterial(from: Authority, commonName: string, notAfter?: Date): Promise<IssuedMaterial> {
  const credential = await from.issue({ commonName, ...(notAfter !== undefined && { notAfter }) });
  return { ca: from.cert, ...credential };
}

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
    const { certificate } = read(await issueMaterial(authority, 'PART1', end));
    expect(certificate).toEqual({ file: 'tls.crt', expiresAt: end, commonName: 'PART1' });
  });

  it('can have no client certificate and no authority', () => {
    expect(parseTlsFiles({}, [])).toEqual({ material: {}, certificate: undefined });
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

describe('a PKCS#12 file', () => {
  const PFX_FILES = { ca: 'ca.crt', pfx: 'client.p12', pfxPassword: 'password' };
  const END = new Date('2031-02-03T04:05:06Z');
  let pfx: Buffer;

  beforeAll(async () => {
    pfx = createPkcs12(await issueMaterial(authority, 'PART1', END), 'corréct');
  });

  const readPfx = (file: Buffer, password: string, files: TlsFileNames = PFX_FILES) =>
    parseTlsFiles(
      files,
      [first.ca, file, password].map((content) => Buffer.from(content)),
    );

  it('gives the client certificate, and the password without the white space at its ends', () => {
    expect(readPfx(pfx, ' corréct\n')).toEqual({
      material: { ca: first.ca, pfx, passphrase: 'corréct' },
      certificate: { file: 'client.p12', commonName: 'PART1', expiresAt: END },
    });
  });

  it.each<[string, () => [Buffer, string], string]>([
    [
      'a wrong password',
      () => [pfx, 'wrong'],
      'client.p12, password cannot be used: the password does not open',
    ],
    ['something else', () => [Buffer.from(first.cert), 'corréct'], 'it is not a PKCS#12 file'],
  ])('is refused when there is %s', (_, contents, reason) => {
    expect(() => readPfx(...contents())).toThrow(UnusableTlsFilesError);
    expect(() => readPfx(...contents())).toThrow(reason);
  });

  it('is refused with a PEM certificate', () => {
    const contents = [first.cert, pfx].map((content) => Buffer.from(content));
    expect(() => parseTlsFiles({ cert: 'tls.crt', pfx: 'client.p12' }, contents)).toThrow(
      'one form is allowed',
    );
  });
});
