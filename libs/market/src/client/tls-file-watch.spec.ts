import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Authority, createAuthority } from '@ssb/certificates';
import { type IssuedMaterial, issueMaterial } from '../testing/issued-material.js';
import { TlsFileWatch } from './tls-file-watch.js';
import { type LoadedTls, UnusableTlsFilesError, loadTlsFiles } from './tls-files.js';

let authority: Authority;
let first: IssuedMaterial;
let second: IssuedMaterial;
let folder: string;
let watch: TlsFileWatch;
let changes: LoadedTls[];
let refusals: UnusableTlsFilesError[];

beforeAll(async () => {
  authority = await createAuthority({ name: 'Test CA', now: new Date() });
  first = await issueMaterial(authority, 'FIRST');
  second = await issueMaterial(authority, 'SECOND');
});

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tls-watch-'));
  changes = [];
  refusals = [];
  write(first);
  watch = await open();
});

afterEach(async () => {
  await watch.stop();
  rmSync(folder, { recursive: true });
});

const file = (name: string): string => join(folder, name);
const files = () => ({ ca: file('ca.crt'), cert: file('tls.crt'), key: file('tls.key') });

function write({ ca, cert, key }: Partial<IssuedMaterial>): void {
  if (ca !== undefined) writeFileSync(file('ca.crt'), ca);
  if (cert !== undefined) writeFileSync(file('tls.crt'), cert);
  if (key !== undefined) writeFileSync(file('tls.key'), key);
}

function open(everyMs = 3_600_000): Promise<TlsFileWatch> {
  return TlsFileWatch.open({
    files: files(),
    everyMs,
    onChange: (loaded) => Promise.resolve(void changes.push(loaded)),
    onRefused: (error) => void refusals.push(error),
  });
}

describe('files that change', () => {
  it('are put to use, once', async () => {
    write(second);
    await watch.look();
    await watch.look();
    expect(changes.map(({ material }) => material)).toEqual([second]);
    expect(watch.inUse.material).toEqual(second);
    expect(refusals).toEqual([]);
  });

  it('are left alone while they are the same, also when written anew', async () => {
    write(first);
    await watch.look();
    expect(changes).toEqual([]);
  });

  it('are followed when a folder is swapped behind symbolic links, as Kubernetes does', async () => {
    rmSync(folder, { recursive: true });
    for (const [version, { ca, cert, key }] of Object.entries({ '..1': first, '..2': second })) {
      mkdirSync(file(version), { recursive: true });
      writeFileSync(join(file(version), 'ca.crt'), ca);
      writeFileSync(join(file(version), 'tls.crt'), cert);
      writeFileSync(join(file(version), 'tls.key'), key);
    }
    symlinkSync('..1', file('..data'));
    for (const name of ['ca.crt', 'tls.crt', 'tls.key']) symlinkSync(join('..data', name), file(name));
    await watch.look();
    expect(changes).toEqual([]);
    symlinkSync('..2', file('..new'));
    renameSync(file('..new'), file('..data'));
    await watch.look();
    expect(changes.map(({ material }) => material)).toEqual([second]);
  });

  it('are looked at again and again by itself, until it is stopped', async () => {
    await watch.stop();
    let changed: () => void = () => undefined;
    const change = new Promise<void>((resolve) => (changed = resolve));
    watch = await TlsFileWatch.open({
      files: files(),
      everyMs: 5,
      onChange: () => Promise.resolve(changed()),
      onRefused: (error) => void refusals.push(error),
    });
    watch.start();
    const { cert, key } = second;
    write({ cert, key });
    await change;
    await watch.stop();
    expect(watch.inUse.material).toEqual(second);
  });
});

describe('files that cannot be used', () => {
  it.each<[string, () => void | Promise<void>, string]>([
    ['a certificate without its key', () => write({ cert: second.cert }), 'the key is not the certificate’s'],
    ['no certificate', () => write({ cert: 'hello' }), 'there is no PEM certificate in it'],
    [
      'half a certificate',
      () => write({ cert: second.cert.replace(/\n.*\n-----END/, '\n-----END') }),
      'a certificate in it cannot be read',
    ],
    ['no key', () => write({ key: 'hello' }), 'the key is not the certificate’s'],
    ['an empty authority', () => write({ ca: '' }), 'there is no PEM certificate in it'],
    ['a file that is gone', () => rmSync(file('tls.key')), 'ENOENT'],
    [
      'an expired certificate',
      async () => write(await issueMaterial(authority, 'LATE', new Date(Date.now() - 60_000))),
      'the new certificate expired at',
    ],
    ['a huge file', () => write({ ca: ' '.repeat(1024 * 1024 + 1) }), 'it is far too large'],
  ])('%s: told once, and what was in use stays', async (_, spoil, reason) => {
    await spoil();
    await watch.look();
    await watch.look();
    expect(refusals.map(({ message }) => message)).toEqual([expect.stringContaining(reason)]);
    expect(changes).toEqual([]);
    expect(watch.inUse.material).toEqual(first);
  });

  it('are taken once they are whole', async () => {
    write({ cert: second.cert });
    await watch.look();
    write({ key: second.key });
    await watch.look();
    expect(changes.map(({ material }) => material)).toEqual([second]);
  });

  it('are told again when they break again', async () => {
    for (const cert of ['hello', first.cert, 'hello']) {
      write({ cert });
      await watch.look();
    }
    expect(refusals).toHaveLength(2);
  });

  it('are no reason to go on at the start', async () => {
    rmSync(file('tls.crt'));
    await expect(open()).rejects.toThrow(UnusableTlsFilesError);
  });

  it('are tried again when they could not be put to use', async () => {
    await watch.stop();
    let works = false;
    watch = await TlsFileWatch.open({
      files: files(),
      everyMs: 3_600_000,
      onChange: () => (works ? Promise.resolve() : Promise.reject(new Error('no'))),
      onRefused: (error) => void refusals.push(error),
    });
    write(second);
    await watch.look();
    expect(watch.inUse.material).toEqual(first);
    works = true;
    await watch.look();
    expect(watch.inUse.material).toEqual(second);
    expect(refusals).toHaveLength(1);
  });
});

describe('loadTlsFiles', () => {
  it('tells when the client certificate ends', async () => {
    const end = new Date('2031-02-03T04:05:06Z');
    write(await issueMaterial(authority, 'PART1', end));
    expect((await loadTlsFiles(files())).expiresAt).toEqual(end);
  });

  it('needs neither a client certificate nor an authority', async () => {
    expect(await loadTlsFiles({})).toMatchObject({ material: {}, expiresAt: undefined });
    expect((await loadTlsFiles({ ca: file('ca.crt') })).material).toEqual({ ca: first.ca });
  });

  it('takes a chain, its first certificate being the caller’s', async () => {
    const chain = `${first.cert}\n${authority.cert}\n`;
    write({ cert: chain });
    expect((await loadTlsFiles(files())).material.cert).toBe(chain);
  });

  it.each(['cert', 'key'] as const)('refuses a %s alone', async (name) => {
    await expect(loadTlsFiles({ [name]: files()[name] })).rejects.toThrow('certificate and key go together');
  });
});
