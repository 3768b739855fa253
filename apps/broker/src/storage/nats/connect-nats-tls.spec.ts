import { createAuthority, type Credential } from '@ssb/certificates';
import { startTestNats, type TestNats } from '@ssb/testing';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { natsSettings as settings, quiet } from '../../../test/support/nats-settings.js';
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

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'nats-tls-'));
  const now = new Date();
  const ours = await createAuthority({ name: 'ours', now });
  const theirs = await createAuthority({ name: 'theirs', now });
  authority = write('ours.pem', ours.cert);
  otherAuthority = write('theirs.pem', theirs.cert);
  server = writePair('server', await ours.issue({ commonName: 'server', hosts: ['127.0.0.1'] }));
  elsewhere = writePair('elsewhere', await ours.issue({ commonName: 'elsewhere', hosts: ['nats.example'] }));
});

afterAll(() => rmSync(folder, { recursive: true }));

async function reaches(url: string, more: Partial<NatsSettings> = {}): Promise<void> {
  const connection = await connectNats(settings(url, more), quiet);
  await connection.flush();
  await connection.close();
}

const toTlsUrl = ({ url }: TestNats): string => url.replace('nats:', 'tls:');

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

  it('is connected again after a restart', async () => {
    const connection = await connectNats(settings(nats.url, { NATS_CA_FILE: authority }), quiet);
    const statuses = connection.status()[Symbol.asyncIterator]();
    await nats.restart();
    for (let type = ''; type !== 'reconnect';)
      type = ((await statuses.next()).value as { type: string }).type;
    await connection.flush();
    await connection.close();
  });

  it('is verified at each connection with the authority in the file', async () => {
    const [right, wrong] = [authority, otherAuthority].map((file) => readFileSync(file, 'utf8')) as [
      string,
      string,
    ];
    const file = write('replaced.pem', wrong);
    await expect(reaches(nats.url, { NATS_CA_FILE: file })).rejects.toThrow(/^NATS_CA_FILE: the server's/);
    write('replaced.pem', right);
    const connection = await connectNats(settings(nats.url, { NATS_CA_FILE: file }), quiet);
    const seen: string[] = [];
    write('replaced.pem', wrong);
    await connection.reconnect();
    for await (const { type } of connection.status()) {
      seen.push(type);
      // The second attempt starts after the first one has failed.
      if (seen.filter((each) => each === 'reconnecting').length === 2) write('replaced.pem', right);
      if (type === 'reconnect') break;
    }
    expect(seen.filter((each) => each === 'reconnecting').length).toBeGreaterThan(1);
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

describe('a server without TLS', () => {
  let nats: TestNats;

  beforeAll(async () => {
    nats = await startTestNats();
  });

  afterAll(() => nats.stop());

  it('is refused at tls://, without a plain connection', async () => {
    await expect(reaches(toTlsUrl(nats))).rejects.toThrow(/^NATS_URL: the server has no TLS/);
  });

  it('is refused when an authority is set', async () => {
    await expect(reaches(nats.url, { NATS_CA_FILE: authority })).rejects.toThrow(
      /^NATS_URL: the server has no TLS/,
    );
  });
});

/** No server listens at this address, so each setting is refused before a connection. */
describe('refused without a connection', () => {
  const unusedAddress = 'tls://127.0.0.1:1';

  it.each([
    ['an authority file that does not exist', () => join(folder, 'absent')],
    ['an authority that is a key', () => server.key],
  ])('%s', async (_, file) => {
    await expect(reaches(unusedAddress, { NATS_CA_FILE: file() })).rejects.toMatchObject({
      name: 'NatsSettingError',
      setting: 'NATS_CA_FILE',
    });
  });
});

function tls({ certificate, key }: Pair): string {
  return `tls { cert_file: "${certificate}", key_file: "${key}", timeout: 10 }`;
}

function write(name: string, pem: string): string {
  writeFileSync(join(folder, name), pem);
  return join(folder, name);
}

function writePair(name: string, { cert, key }: Credential): Pair {
  return { certificate: write(`${name}.pem`, cert), key: write(`${name}.key`, key) };
}
