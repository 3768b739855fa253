import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CHANNEL, gatewayDid, originDid, signedMessage, type BusMessage } from '@ssb/testing/signed-messages';
import type { SignedEvidence, TrustFile, UnsignedEvidence } from 'settlement-bus-downstream';
import { writeEvidence } from 'settlement-bus-downstream/checks';
import { startApi, type RunningApi } from './support/running-api.js';
import { runCommand } from './support/run-command.js';
import { createSubscriberTables, type SubscriberTables } from './support/subscriber-tables.js';

const PROBLEM = 'aaaaaa11-0000-4000-8000-000000000001';
const LOCAL = 'bbbbbb22-0000-4000-8000-000000000002';
const ARCHIVED_AT = '2026-03-02T00:00:06.000Z';

let tables: SubscriberTables;
let api: RunningApi;
let folder: string;
let message: BusMessage;
let eventId: string;

beforeAll(async () => {
  tables = await createSubscriberTables();
  api = await startApi(tables);
  folder = mkdtempSync(join(tmpdir(), 'evidence-'));
  message = await signedMessage();
  eventId = message.transactionId ?? '';
  await archive(eventId, message.payload, { ...message, origin: originDid, marks: ['late'] });
  const type = 'settlementbus.bridge.alert.raised.v1';
  const local = { id: LOCAL, type, participant: '*', subject: '*/fault', local: true };
  const unsent = { fqcn: '', id: '', sender: '', signature: '', timestampNanos: 0n, origin: '' };
  await archive(LOCAL, JSON.stringify(local), { ...unsent, marks: ['local'] });
  const { admin } = tables;
  await admin.query(
    `INSERT INTO delivery (event_id, sink, kind, subject, sequence, archive_offset, severity, attempts, delivered_at, problem_id)
     SELECT event_id, 'treasury', 'alert', subject, sequence, archive_offset, 'critical', 2, '2026-03-02T00:00:09Z', $2 FROM archive WHERE event_id = $1`,
    [eventId, PROBLEM],
  );
  await admin.query(
    `INSERT INTO attempt (event_id, sink, number, at, duration_ms, outcome, status, response) VALUES
       ($1, 'treasury', 1, '2026-03-02T00:00:07Z', 9, 'unreachable', NULL, NULL),
       ($1, 'treasury', 2, '2026-03-02T00:00:08Z', 11, 'delivered', 204, 'ok')`,
    [eventId],
  );
  await admin.query(
    `INSERT INTO trusted_key VALUES
       ($1, 'gateway', $2, '{}', '2026-01-01T00:00:00Z', '2026-04-01T00:00:00Z'),
       ($1, 'origin', $3, '{WPGENCO}', '-infinity', NULL),
       ($1, 'origin', 'did:ethr:0x1111111111111111111111111111111111111111', '{WPGENCO}', '2026-05-01T00:00:00Z', NULL)`,
    [CHANNEL, gatewayDid, originDid],
  );
});
afterAll(async () => {
  await api.stop();
  await tables.close();
  rmSync(folder, { recursive: true, force: true });
});

type ArchivedMessage = Pick<BusMessage, 'fqcn' | 'id' | 'sender' | 'signature' | 'timestampNanos'>;

async function archive(
  id: string,
  payload: string,
  {
    fqcn,
    id: messageId,
    sender,
    signature,
    timestampNanos,
    origin,
    marks,
  }: ArchivedMessage & { origin: string; marks: string[] },
): Promise<void> {
  const { type, subject = '', participant, sequence = '' } = JSON.parse(payload) as Record<string, string>;
  const { admin } = tables;
  await admin.query('INSERT INTO inbox (event_id, received_at) VALUES ($1, now())', [id]);
  await admin.query(
    `INSERT INTO archive (event_id, type, subject, participant, sequence, time, detected_at, channel, message_id, sender, origin, signature,
       appended_at_nanos, archived_at, event, marks)
     VALUES ($1, $2, $3, $4, $5, '', '', $6, $7, $8, $9, $10, $11::text::numeric, $12, $13, $14)`,
    [
      id,
      `${type}`,
      subject,
      `${participant}`,
      sequence,
      fqcn,
      messageId,
      sender,
      origin,
      signature,
      timestampNanos.toString(),
      ARCHIVED_AT,
      payload,
      marks,
    ],
  );
}

const exportEvidence = (...args: string[]) => api.run('evidence', 'export', ...args);
const verify = (...args: string[]) => runCommand(['verify', ...args]);

function writeTrust(gateway: object, origin: object): string {
  const path = join(folder, 'trust.json');
  const trust: TrustFile = {
    version: 1,
    signatureScheme: 'eip191',
    channels: {
      [CHANNEL]: {
        gateways: [{ did: gatewayDid, ...gateway }],
        origins: [{ did: originDid, participants: ['WPGENCO'], ...origin }],
      },
    },
  };
  writeFileSync(path, JSON.stringify(trust));
  return path;
}

describe('busbridge evidence export', () => {
  it('writes everything about an event, and verify says what it proves', async () => {
    const file = join(folder, 'evidence.json');
    const exported = await exportEvidence(eventId.slice(0, 8), '--out', file);
    expect([exported.status, exported.stdout, exported.stderr]).toEqual([
      0,
      '',
      `${file} has the evidence of the event ${eventId}.\n`,
    ]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const evidence = JSON.parse(readFileSync(file, 'utf8')) as SignedEvidence;
    const { payload, signature, sender, fqcn, id, timestampNanos } = message;
    expect(evidence).toMatchObject({
      eventId,
      message: { id, fqcn, payload, signature, sender, timestampNanos: timestampNanos.toString() },
      archived: { at: ARCHIVED_AT, marks: ['late'] },
      trusted: {
        gateways: [{ did: gatewayDid, until: '2026-04-01T00:00:00.000000Z' }],
        origins: [{ did: originDid, participants: ['WPGENCO'] }],
      },
      deliveries: [
        {
          sink: 'treasury',
          state: 'delivered',
          problemId: PROBLEM,
          attempts: [{ outcome: 'unreachable' }, { outcome: 'delivered', status: 204, response: 'ok' }],
        },
      ],
    });
    expect(evidence.event).toEqual(JSON.parse(payload));

    const verified = await verify(file, '--trust', writeTrust({ until: '2026-04-01T00:00:00Z' }, {}));
    expect([verified.status, verified.stderr]).toEqual([0, '']);
    expect(verified.stdout).toMatch(
      /^verified: the event, not the records of its deliveries\nevent +settlementbus\.margin\.breached\.v1 \S+ of WPGENCO\nsubject +WPGENCO\/prudential\nbridge +did:\S+, trusted, /,
    );
    const { data } = evidence.event as { readonly data: Readonly<Record<string, unknown>> };
    for (const name of ['level', 'tradingMargin'])
      expect(verified.stdout).toContain(`\n  - ${name}: ${String(data[name])}\n`);
    const { breach } = data['thresholds'] as { readonly breach: string };
    expect(verified.stdout).toContain(`\n  - thresholds.breach: ${breach}\n`);
    expect(verified.stdout).toMatch(
      /Proved:\n.*Claimed:\n.*signed 2026-\S+, says the bridge\n.*Not proved:\n.*records of the subscriber/s,
    );
    expect(verified.stdout).toMatch(/Note:\n {2}- The key of the gateway \S+ was retired at 2026-04-01/);
    const untrusted = await verify(file);
    expect(untrusted.status).toBe(1);
    expect(untrusted.stdout).toMatch(/^consistent; signer not verified: no trust file was given\.\n/);
    const revoked = await verify(
      file,
      '--json',
      '--trust',
      writeTrust({}, { revoked: '2026-03-01T00:00:00Z' }),
    );
    expect([revoked.status, JSON.parse(revoked.stdout)]).toMatchObject([
      1,
      { status: 'consistent', reason: 'revoked' },
    ]);
  });

  it('of a fault that the subscriber wrote says that nobody signed it', async () => {
    const { stdout, stderr } = await exportEvidence(LOCAL);
    expect(stderr).toBe('The subscriber wrote this fault itself. Nobody signed it.\n');
    const file = join(folder, 'local.json');
    writeFileSync(file, stdout);
    const { status, stdout: printed } = await verify(file, '--json', '--trust', writeTrust({}, {}));
    expect([status, JSON.parse(printed)]).toMatchObject([1, { status: 'consistent', reason: 'unsigned' }]);
  });

  it('refuses an unknown event, and one whose row is not what was signed', async () => {
    const unknown = await exportEvidence('ffffff');
    expect([unknown.status, unknown.stdout]).toEqual([1, '']);
    expect(unknown.stderr).toMatch(/^There is no such event /);
    const changed = { ...message, payload: message.payload.replace('BREACHED', 'RESTORED') };
    const id = 'cccccc33-0000-4000-8000-000000000003';
    await archive(id, changed.payload, { ...changed, origin: originDid, marks: [] });
    const { status, stdout, stderr } = await exportEvidence(id);
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^The signatures in the archive are not those of the event\. /);
  });
});

/** Evidence of the subscriber's fault with a changed event and the right digest. */
async function forge(change: object): Promise<string> {
  const { stdout } = await exportEvidence(LOCAL);
  const local = JSON.parse(stdout) as Omit<UnsignedEvidence, 'digest'> & { digest?: string };
  delete local.digest;
  const file = join(folder, 'forged.json');
  writeFileSync(file, writeEvidence({ ...local, event: { ...local.event, ...change } }));
  return file;
}

describe('busbridge verify', () => {
  it.each([
    ['a changed byte', (text: string) => text.replace('treasury', 'treasurx'), 'invalid: damaged. '],
    ['another file', () => '{}', 'invalid: damaged. '],
  ])('of %s ends with status 2', async (_, change, beginning) => {
    const { stdout } = await exportEvidence(eventId);
    const file = join(folder, 'changed.json');
    writeFileSync(file, change(stdout));
    const result = await verify(file, '--trust', writeTrust({}, {}));
    expect([result.status, result.stdout.startsWith(beginning), result.stderr]).toEqual([2, true, '']);
  });

  it('prints the data of a forged file in short lines without control characters', async () => {
    const many = Object.fromEntries([...'x'.repeat(99)].map((name, index) => [`${name}${index}`, index]));
    const data = {
      text: `a\u001b[2J\nb\u202e${'y'.repeat(10_000)}`,
      list: [1],
      deep: { a: { b: '5', c: [] } },
      ['\u001b']: null,
      none: null,
      ...many,
    };
    const { status, stdout } = await verify(await forge({ subject: '\u001b]0;', data }));
    expect([status, stdout]).toEqual([
      1,
      expect.stringMatching(/^consistent; signer not verified: unsigned\. /),
    ]);
    const lines = stdout.split('\n');
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(510);
    expect(lines.join('')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(lines).toEqual(
      expect.arrayContaining([
        ...['  - list: 1 entry: see --json', '  - deep.a.b: 5', '  - deep.a.c: 0 entries: see --json'],
        ...['  - none: null', '  - 75 more: see --json'],
      ]),
    );
  });

  it('of a forged file with a subject that is not a text ends with status 2', async () => {
    const { status, stdout, stderr } = await verify(await forge({ subject: { toString: 1 } }));
    expect([status, stdout, stderr]).toEqual([2, expect.stringMatching(/^invalid: not-evidence\. /), '']);
  });

  it('names a file that cannot be read, and a trust file that is wrong', async () => {
    const missing = await verify(join(folder, 'none.json'));
    expect([missing.status, missing.stdout]).toEqual([2, '']);
    expect(missing.stderr).toMatch(
      /^The evidence is not verified: ENOENT: .*none\.json.*\. Give files that exist/,
    );
    const wrong = writeTrust({ did: 'x' }, {});
    const { status, stderr } = await verify(join(folder, 'evidence.json'), '--trust', wrong);
    expect([status, stderr]).toEqual([
      2,
      expect.stringMatching(
        /^The evidence is not verified: \/channels\/\S+\/gateways\/0\/did of the trust file is not a DID.*\. Export it again\.\n$/,
      ),
    ]);
  });
});
