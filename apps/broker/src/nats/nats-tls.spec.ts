import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAuthority, type Credential } from '@ssb/certificates';
import { createLogger } from '@ssb/platform';
import { startTestNats, type TestNats } from '@ssb/redis';
import { waitFor } from '@ssb/testing';
import { natsSettings as settings, quiet } from '../testing/nats-settings.js';
import { connectNats, type NatsSettings } from './connect-nats.js';

/** Files of a certificate and its key. */
interface Pair {
  readonly certificate: string;
  readonly key: string;
}

let folder: string;
let authority: string;
let otherAuthority: string;
let server: Pair;
let elsewhere: Pair;
let client: Pair;
let stranger: Pair;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'nats-tls-'));
  const now = new Date();
  const ours = await createAuthority({ name: 'ours', now });
  const theirs = await createAuthority({ name: 'theirs', now });
  authority = write('ours.pem', ours.cert);
  otherAuthority = write('theirs.pem', theirs.cert);
  server = writePair('server', await ours.issue({ commonName: 'server', hosts: ['127.0.0.1'] }));
  elsewhere = writePair('elsewhere', await ours.issue({ commonName: 'elsewhere', hosts: ['nats.example'] }));
  client = writePair('client', await ours.issue({ commonName: 'client', usage: 'client' }));
  stranger = writePair('stranger', await theirs.issue({ commonName: 'stranger', usage: 'client' }));
});

afterAll(() => rmSync(folder, { recursive: true }));

async function reaches(url: string, more: Partial<NatsSettings> = {}): Promise<void> {
  const connection = await connectNats(settings(url, more), quiet);
  await connection.flush();
  await connection.close();
}

const secured = ({ url }: TestNats): string => url.replace('nats:', 'tls:');

describe('a server with TLS', () => {
  let nats: TestNats;

  beforeAll(async () => {
    nats = await startTestNats({ configuration: tls(server) });
  });

  afterAll(() => nats.stop());

  it.each(['nats:', 'tls:'])('is reached at %s with its authority', (protocol) =>
    reaches(nats.url.replace('nats:', protocol), { NATS_CA_FILE: authority }),
  );

  it.each(['nats:', 'tls:'])('is refused at %s without its authority', async (protocol) => {
    await expect(reaches(nats.url.replace('nats:', protocol))).rejects.toThrow(
      /^NATS_CA_FILE: the server's cert/,
    );
  });

  it('is refused with the authority of another', async () => {
    await expect(reaches(nats.url, { NATS_CA_FILE: otherAuthority })).rejects.toThrow(
      /^NATS_CA_FILE: the server's/,
    );
  });

  it('is reached again after a restart', async () => {
    const connection = await connectNats(settings(nats.url, { NATS_CA_FILE: authority }), quiet);
    const statuses = connection.status()[Symbol.asyncIterator]();
    await nats.restart();
    for (let type = ''; type !== 'reconnect';)
      type = ((await statuses.next()).value as { type: string }).type;
    await connection.flush();
    await connection.close();
  });
});

it('a server whose certificate is for another host is refused', async () => {
  const nats = await startTestNats({ configuration: tls(elsewhere) });
  try {
    await expect(reaches(nats.url, { NATS_CA_FILE: authority })).rejects.toThrow(
      "NATS_URL: the server's certificate is for another host",
    );
  } finally {
    await nats.stop();
  }
});

describe('a server that wants client certificates', () => {
  let nats: TestNats;

  beforeAll(async () => {
    nats = await startTestNats({ configuration: tls(server, `ca_file: "${authority}", verify: true`) });
  });

  afterAll(() => nats.stop());

  const with_ = (pair: Pair | undefined): Partial<NatsSettings> => ({
    NATS_CA_FILE: authority,
    NATS_CERTIFICATE_FILE: pair?.certificate,
    NATS_KEY_FILE: pair?.key,
  });

  it('lets in who has one of its authority', () => reaches(nats.url, with_(client)));

  it('is waited for while it does not accept the certificate: the log names the setting, and a renewed file is read', async () => {
    const renewed = { certificate: copy(stranger.certificate), key: copy(stranger.key) };
    const lines: string[] = [];
    const stream = { write: (line: string) => void lines.push(line) };
    const log = createLogger({ name: 'test', level: 'warn', format: 'json', stream });
    const waiting = connectNats(settings(nats.url, with_(renewed)), log);
    await waitFor('a refusal', () => lines.length > 0);
    expect(lines[0]).toContain('the server may want NATS_CERTIFICATE_FILE, or not accept it');
    copyFileSync(client.certificate, renewed.certificate);
    copyFileSync(client.key, renewed.key);
    await (await waiting).close();
  });
});

describe('a server without TLS', () => {
  let nats: TestNats;

  beforeAll(async () => {
    nats = await startTestNats();
  });

  afterAll(() => nats.stop());

  it('is refused at tls://, rather than spoken to in the open', async () => {
    await expect(reaches(secured(nats))).rejects.toThrow(/^NATS_URL: the server has no TLS/);
  });

  it.each([
    ['an authority', () => ({ NATS_CA_FILE: authority })],
    [
      'a client certificate',
      () => ({ NATS_CERTIFICATE_FILE: client.certificate, NATS_KEY_FILE: client.key }),
    ],
  ])('is refused when %s is set', async (_, more) => {
    await expect(reaches(nats.url, more())).rejects.toThrow(/^NATS_URL: the server has no TLS/);
  });
});

/** Nobody listens there: each of these is refused before anybody is asked. */
describe('refused without asking a server', () => {
  const nobody = 'tls://127.0.0.1:1';

  it('a file that is not there', async () => {
    const absent = { NATS_CA_FILE: join(folder, 'absent') };
    await expect(reaches(nobody, absent)).rejects.toThrow(/^NATS_CA_FILE: the file cannot be read/);
  });

  it.each([
    ['an authority that is a key', 'NATS_CA_FILE', () => ({ NATS_CA_FILE: client.key })],
    ['a certificate that is a key', 'NATS_CERTIFICATE_FILE', () => pair(client.key, client.key)],
    ['a key that is a certificate', 'NATS_KEY_FILE', () => pair(client.certificate, client.certificate)],
    ['the key of another certificate', 'NATS_KEY_FILE', () => pair(client.certificate, stranger.key)],
    ['a certificate without its key', 'NATS_KEY_FILE', () => pair(client.certificate, undefined)],
    ['a key without its certificate', 'NATS_CERTIFICATE_FILE', () => pair(undefined, client.key)],
  ])('%s', async (_, setting, more) => {
    await expect(reaches(nobody, more())).rejects.toMatchObject({ name: 'NatsSettingError', setting });
  });

  const pair = (certificate: string | undefined, key: string | undefined): Partial<NatsSettings> => ({
    NATS_CERTIFICATE_FILE: certificate,
    NATS_KEY_FILE: key,
  });
});

function tls({ certificate, key }: Pair, more = ''): string {
  return `tls { cert_file: "${certificate}", key_file: "${key}", timeout: 10\n ${more} }`;
}

function write(name: string, pem: string): string {
  writeFileSync(join(folder, name), pem);
  return join(folder, name);
}

function copy(file: string): string {
  copyFileSync(file, `${file}.copy`);
  return `${file}.copy`;
}

function writePair(name: string, { cert, key }: Credential): Pair {
  return { certificate: write(`${name}.pem`, cert), key: write(`${name}.key`, key) };
}
