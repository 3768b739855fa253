import { findTrustedSenders, listReadChannels, loadOperatorConfig } from '@ssb/config';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TrustFile } from '../src/trust/trust-file.js';
import { CONFIG } from './support/example.js';
import { runCommand } from './support/run-command.js';

const [GATEWAY, OLD_ORIGIN, ORIGIN] = ['1', '2', '3'].map((digit) => `did:ethr:0x${digit.repeat(40)}`);
const SENDERS = { PUBLISHER_GATEWAY_DID: `${GATEWAY}`, BRIDGE_ORIGIN_DID: `${OLD_ORIGIN}, ${ORIGIN}` };
const WEBHOOK = {
  WEBHOOK_URL: 'http://127.0.0.1:9/events',
  WEBHOOK_SECRET: `whsec_${Buffer.alloc(32).toString('base64')}`,
};

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'trust-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const exportTrust = (args: readonly string[] = [], environment: Record<string, string> = SENDERS) =>
  runCommand(['trust', 'export', ...args], { CONFIG_FILE: CONFIG, ...environment });

describe('busbridge trust export', () => {
  it('prints what the subscriber trusts on each channel', async () => {
    const { status, stdout, stderr } = await exportTrust();
    expect([status, stderr]).toEqual([0, '']);
    const trust = JSON.parse(stdout) as TrustFile;
    const config = loadOperatorConfig(CONFIG, { ...SENDERS, ...WEBHOOK });
    expect(trust).toMatchObject({ version: 1, signatureScheme: 'eip191' });
    expect(Object.keys(trust.channels)).toEqual(listReadChannels(config));
    for (const [channel, { gateways, origins }] of Object.entries(trust.channels))
      expect({ gateways: gateways.map(({ did }) => did), origins }).toEqual(
        findTrustedSenders(config, channel),
      );
  });

  it('names a DID once on a channel, with the participants of all its entries', async () => {
    const path = join(folder, 'bridge.yaml');
    const channel = 'operations.channels.bridge.apps.participant.iam.market';
    const entry = `senders:
  - { channel: ${channel}, gateways: ['\${PUBLISHER_GATEWAY_DID}'], origins: ['${ORIGIN}'], participants: [OTHER] }
`;
    const text = readFileSync(CONFIG, 'utf8')
      .replace('senders:\n', entry)
      .replace(
        /^participants:.*\n/m,
        "participants:\n  - { code: OTHER, margin: { warning: '2', breach: '1', hysteresis: '0' } }\n",
      );
    writeFileSync(path, text);
    const { stdout, stderr } = await exportTrust(['--file', path]);
    expect(stderr).toBe('');
    expect((JSON.parse(stdout) as TrustFile).channels[channel]).toEqual({
      gateways: [{ did: GATEWAY }],
      origins: [
        { did: ORIGIN, participants: ['OTHER', 'WPGENCO'] },
        { did: OLD_ORIGIN, participants: ['OTHER', 'WPGENCO'] },
      ],
    });
  });

  it('writes a file, with the signature scheme of the option before that of the setting', async () => {
    const out = join(folder, 'trust.json');
    const scheme = { SIGNATURE_SCHEME: 'keccak256' };
    const { stdout, stderr } = await exportTrust(['--out', out], { ...SENDERS, ...scheme });
    expect([stdout, stderr]).toEqual(['', `${out} has the trusted senders of 3 channels.\n`]);
    expect(JSON.parse(readFileSync(out, 'utf8'))).toMatchObject({ signatureScheme: 'keccak256' });
    const { stdout: printed } = await exportTrust(['--signature-scheme', 'eip191'], {
      ...SENDERS,
      ...scheme,
    });
    expect(JSON.parse(printed)).toMatchObject({ signatureScheme: 'eip191' });
  });

  it('says what is missing', async () => {
    const unset = await exportTrust([], { PUBLISHER_GATEWAY_DID: `${GATEWAY}` });
    expect([unset.status, unset.stdout]).toEqual([1, '']);
    expect(unset.stderr).toMatch(/needs the environment variable BRIDGE_ORIGIN_DID, which is not set\.\n$/);
    const out = join(folder, 'none', 'trust.json');
    const unwritable = await exportTrust(['--out', out]);
    expect(unwritable.status).toBe(1);
    expect(unwritable.stderr).toMatch(/trust\.json cannot be written: .*Give another path with --out\.\n$/);
  });
});
