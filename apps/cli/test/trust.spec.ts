import { findTrustedSenders, listReadChannels, loadOperatorConfig } from '@ssb/config';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Trust, type TrustFile } from 'settlement-bus-downstream';
import type { TrustedKeyRow } from '../src/api/operations.js';
import { withHistory, withRevocations } from '../src/trust/key-history.js';
import { createSubscriberTables } from './support/subscriber-tables.js';
import { CONFIG } from './support/example.js';
import { startApi } from './support/running-api.js';
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
    for (const channel of Object.keys(trust.channels))
      expect(Trust.fromJson(trust).sendersOf(channel)).toEqual(findTrustedSenders(config, channel));
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
    expect([unset.status, unset.stdout]).toEqual([78, '']);
    expect(unset.stderr).toMatch(/needs the environment variable BRIDGE_ORIGIN_DID, which is not set\.\n$/);
    const out = join(folder, 'none', 'trust.json');
    const unwritable = await exportTrust(['--out', out]);
    expect(unwritable.status).toBe(1);
    expect(unwritable.stderr).toMatch(/trust\.json cannot be written: .*Give another path with --out\.\n$/);
  });
});

describe('busbridge trust export --history', () => {
  const channel = 'operations.channels.bridge.apps.participant.iam.market';
  const former = `did:ethr:0x${'4'.repeat(40)}`;

  it('adds the keys that the subscriber trusted before, with their times', async () => {
    const tables = await createSubscriberTables();
    const api = await startApi(tables);
    try {
      await tables.admin.query(
        `INSERT INTO trusted_key VALUES
           ($1, 'gateway', '${GATEWAY}', '{}', '-infinity', NULL),
           ($1, 'origin', '${former}', '{WPGENCO}', '-infinity', '2026-02-01T08:00:00+08:00'),
           ($1, 'origin', '${ORIGIN}', '{WPGENCO}', '2026-02-01T00:00:00Z', NULL)`,
        [channel],
      );
      await tables.admin.query(
        `INSERT INTO revoked_key (did, revoked_since) VALUES ('${former}', '2026-01-15T00:00:00Z')`,
      );
      // The subscriber has not applied this revocation yet.
      const path = join(folder, 'revoked.yaml');
      const revocation = `revoked: [{ did: '${former}', since: '2026-01-10T08:00:00+08:00' }]`;
      writeFileSync(path, `${readFileSync(CONFIG, 'utf8')}\n${revocation}\n`);
      const { stdout, stderr } = await exportTrust(['--history', '--file', path], {
        PUBLISHER_GATEWAY_DID: `${GATEWAY}`,
        BRIDGE_ORIGIN_DID: `${ORIGIN}`,
        BUSBRIDGE_URL: api.url,
        BUSBRIDGE_TOKEN: api.tokens.victor,
      });
      expect(stderr).toBe('');
      const file = JSON.parse(stdout) as TrustFile;
      const participants = ['WPGENCO'];
      const [until, revoked] = ['2026-02-01T00:00:00.000000Z', '2026-01-10T00:00:00.000Z'];
      expect(file.channels[channel]).toEqual({
        gateways: [{ did: GATEWAY }],
        origins: [
          { did: former, until, revoked, participants },
          { did: ORIGIN, participants, from: until },
        ],
      });
      expect(Trust.fromJson(file).sendersOf(channel).origins).toEqual([{ did: ORIGIN, participants }]);
      const limited = { BUSBRIDGE_URL: api.url, BUSBRIDGE_TOKEN: api.tokens.wendy, ...SENDERS };
      expect((await exportTrust(['--history'], limited)).status).toBe(77);
    } finally {
      await api.stop();
      await tables.close();
    }
  });

  it('trusts nothing that the configuration does not name, also before a subscriber has applied it', () => {
    const interval: TrustedKeyRow = {
      channel,
      role: 'gateway',
      did: former,
      participants: [],
    };
    const file: TrustFile = { version: 1, signatureScheme: 'eip191', channels: {} };
    const now = new Date('2026-03-01T00:00:00Z');
    const { channels } = withHistory(file, [interval], now);
    expect(channels[channel]?.gateways).toEqual([{ did: former, until: '2026-03-01T00:00:00.000Z' }]);
  });

  it.each([
    ['2026-01-15T08:00:00+08:00', undefined, '2026-01-15T00:00:00.000Z'],
    ['2026-01-15T08:00:00+08:00', '2026-01-15T00:00:00.000001Z', '2026-01-15T00:00:00.000Z'],
    ['2026-01-15T08:00:00+08:00', '2026-01-14T00:00:00.000000Z', '2026-01-14T00:00:00.000000Z'],
  ])('has a revocation of the configuration since %s, with %s in the database', (since, known, revoked) => {
    const interval = (did: string): TrustedKeyRow => ({
      channel,
      role: 'gateway',
      did,
      participants: [],
      ...(known !== undefined && { revoked: known }),
    });
    const [own, other] = withRevocations(
      [interval(former), interval(`${ORIGIN}`)],
      [{ did: former.toLowerCase().replace('ethr:', 'ethr:volta:'), since }],
    );
    expect([own?.revoked, other?.revoked]).toEqual([revoked, known]);
  });
});
