import { createAuthority, type Credential } from '@ssb/dev/certificates';
import { startTestNats, type TestNats } from '@ssb/testing';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { natsSettings as settings, quiet } from '../../../test/support/nats-settings.js';
import { connectNats, type NatsSettings } from './connect-nats.js';

/** Paths of a certificate file and its key file. */
interface CertificateFiles {
  readonly certificate: string;
  readonly key: string;
}

let folder: string;
let caFile: string;
let otherCaFile: string;
let serverFiles: CertificateFiles;
let otherHostFiles: CertificateFiles;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'nats-tls-'));
  const now = new Date();
  const ca = await createAuthority({ name: 'ca', now });
  const otherCa = await createAuthority({ name: 'other-ca', now });
  caFile = write('ca.pem', ca.cert);
  otherCaFile = write('other-ca.pem', otherCa.cert);
  serverFiles = writePair('server', await ca.issue({ commonName: 'server', hosts: ['127.0.0.1'] }));
  otherHostFiles = writePair('other', await ca.issue({ commonName: 'other', hosts: ['nats.example'] }));
});

afterAll(() => rmSync(folder, { recursive: true }));

async function connectOnce(url: string, overrides: Partial<NatsSettings> = {}): Promise<void> {
  const connection = await connectNats(settings(url, overrides), quiet);
  await connection.flush();
  await connection.close();
}

const toTlsUrl = ({ url }: TestNats): string => url.replace('nats:', 'tls:');

describe('a server with TLS', () => {
  let nats: TestNats;

  beforeAll(async () => {
    nats = await startTestNats({ configuration: tls(serverFiles) });
  });

  afterAll(() => nats.stop());

  it.each(['nats:', 'tls:'])('is trusted at %s with its CA file', (protocol) =>
    connectOnce(nats.url.replace('nats:', protocol), { NATS_CA_FILE: caFile }),
  );

  it.each(['nats:', 'tls:'])('is not trusted at %s without its CA file', async (protocol) => {
    await expect(connectOnce(nats.url.replace('nats:', protocol))).rejects.toThrow(
      /^NATS_CA_FILE: the server's cert/,
    );
  });

  it('is verified at each connection with the current content of the CA file', async () => {
    const [right, wrong] = [caFile, otherCaFile].map((file) => readFileSync(file, 'utf8')) as [
      string,
      string,
    ];
    const file = write('replaced.pem', wrong);
    await expect(connectOnce(nats.url, { NATS_CA_FILE: file })).rejects.toThrow(
      /^NATS_CA_FILE: the server's/,
    );
    write('replaced.pem', right);
    const connection = await connectNats(settings(nats.url, { NATS_CA_FILE: file }), quiet);
    const statusTypes: string[] = [];
    write('replaced.pem', wrong);
    await connection.reconnect();
    for await (const { type } of connection.status()) {
      statusTypes.push(type);
      // The second attempt starts after the first one has failed.
      if (statusTypes.filter((each) => each === 'reconnecting').length === 2) write('replaced.pem', right);
      if (type === 'reconnect') break;
    }
    expect(statusTypes.filter((each) => each === 'reconnecting').length).toBeGreaterThan(1);
    await connection.flush();
    await connection.close();
  });
});

it('a server whose certificate is for another host is refused', async () => {
  const nats = await startTestNats({ configuration: tls(otherHostFiles) });
  try {
    await expect(connectOnce(nats.url, { NATS_CA_FILE: caFile })).rejects.toThrow(
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

  it('is refused at tls://, and no plain connection is opened', async () => {
    await expect(connectOnce(toTlsUrl(nats))).rejects.toThrow(/^NATS_URL: the server has no TLS/);
  });

  it('is refused when a CA file is set', async () => {
    await expect(connectOnce(nats.url, { NATS_CA_FILE: caFile })).rejects.toThrow(
      /^NATS_URL: the server has no TLS/,
    );
  });
});

it('a CA file that does not exist, or contains a key, is refused before a connection', async () => {
  for (const file of [join(folder, 'absent'), serverFiles.key]) {
    await expect(connectOnce('tls://127.0.0.1:1', { NATS_CA_FILE: file })).rejects.toMatchObject({
      name: 'NatsSettingError',
      setting: 'NATS_CA_FILE',
    });
  }
});

function tls({ certificate, key }: CertificateFiles): string {
  return `tls { cert_file: "${certificate}", key_file: "${key}", timeout: 10 }`;
}

function write(name: string, pem: string): string {
  writeFileSync(join(folder, name), pem);
  return join(folder, name);
}

function writePair(name: string, { cert, key }: Credential): CertificateFiles {
  return { certificate: write(`${name}.pem`, cert), key: write(`${name}.key`, key) };
}
