import type { OperatorConfig } from '@ssb/config';
import {
  newReader,
  openSubscriberDatabase,
  type SubscriberDatabase,
} from '../../test/support/subscriber-database.js';
import { LeaseLostError, type ReaderToken } from '../replica/reader-lease.js';
import { recordTrustedKeys } from './key-history.js';

const CHANNEL = 'prudential.channels.bridge.apps.participant.iam.market';
const [GATEWAY, OLD, NEXT] = ['1', '2', '3'].map((digit) => `did:ethr:0x${digit.repeat(40)}`) as [
  string,
  string,
  string,
];

let storage: SubscriberDatabase;
let reader: ReaderToken;

beforeAll(async () => {
  storage = await openSubscriberDatabase();
});
beforeEach(async () => {
  await storage.clear();
  reader = await storage.newReader();
});
afterAll(() => storage.close());

const configOf = (
  origins: readonly string[],
  change: Partial<OperatorConfig> & { participants?: OperatorConfig['participants'] } = {},
): OperatorConfig =>
  ({
    participants: [{ code: 'B' }, { code: 'A' }],
    routes: [],
    senders: [{ channel: CHANNEL, gateways: [GATEWAY], origins }],
    ...change,
  }) as unknown as OperatorConfig;

const record = (config: OperatorConfig, as = reader) => recordTrustedKeys(storage.database, config, as);

interface Row {
  readonly role: string;
  readonly did: string;
  readonly participants: readonly string[];
  readonly start: string;
  readonly until: Date | null;
}
const readRows = () =>
  storage.database.query<Row>(
    `SELECT role, did, participants, trusted_from::text AS start, trusted_until AS until FROM trusted_key ORDER BY role, did, trusted_from`,
  );
const summaryOf = async () =>
  (await readRows()).map(({ did, participants, until }) => [did.at(-1), participants.join(), until === null]);

it('intervals begin and end with the configurations, and a repeat, as after a restart, changes nothing', async () => {
  expect(await record(configOf([OLD]))).toBe(2);
  expect(await record(configOf([OLD]))).toBe(0);
  expect(await record(configOf([OLD, NEXT, NEXT.replace('ethr:', 'ethr:volta:')]))).toBe(1);
  expect(await record(configOf([NEXT]))).toBe(1);
  expect(await summaryOf()).toEqual([
    ['1', '', true],
    ['2', 'A,B', false],
    ['3', 'A,B', true],
  ]);
  // The key is trusted again.
  await record(configOf([OLD, NEXT]));
  const ofOld = (await readRows()).filter(({ did }) => did === OLD);
  expect(ofOld.map(({ until }) => until === null)).toEqual([false, true]);
});

it('other participants begin another interval at the moment at which the former one ends', async () => {
  await record(configOf([OLD]));
  const [one] = configOf([]).participants;
  await record(configOf([OLD], { participants: one ? [one] : [] }));
  const rows = await storage.database.query(
    `SELECT former.participants AS before, next.participants AS after FROM trusted_key AS former
     JOIN trusted_key AS next ON next.did = former.did AND next.role = former.role AND next.trusted_from = former.trusted_until`,
  );
  expect(rows).toEqual([{ before: ['A', 'B'], after: ['B'] }]);
});

it('the first intervals of an archive that exists begin before it', async () => {
  await record(configOf([OLD]));
  expect((await readRows()).every(({ start }) => start !== '-infinity')).toBe(true);
  await storage.clear();
  reader = await storage.newReader();
  await storage.server.query(
    `INSERT INTO subscriber.inbox VALUES ('e', now());
     INSERT INTO subscriber.archive (event_id, type, subject, participant, sequence, time, detected_at, channel, message_id, sender, origin,
       signature, appended_at_nanos, archived_at, event) VALUES ('e', '', '', '', '', '', '', '', '', '', '', '', 0, now(), '')`,
  );
  await record(configOf([OLD]));
  await record(configOf([OLD, NEXT]));
  expect((await readRows()).map(({ did, start }) => [did.at(-1), start === '-infinity'])).toEqual([
    ['1', true],
    ['2', true],
    ['3', false],
  ]);
});

it('a revocation is kept, and withdrawn when the file no longer has it', async () => {
  const revoked = [{ did: OLD, since: '2026-01-01T08:00:00+08:00', comment: 'laptop lost' }];
  const read = () =>
    storage.database.query(
      `SELECT did, revoked_since AS since, comment, withdrawn_at IS NOT NULL AS withdrawn FROM revoked_key ORDER BY revoked_since`,
    );
  await record(configOf([NEXT], { revoked }));
  await record(configOf([NEXT], { revoked }));
  const row = { did: OLD, since: new Date('2026-01-01T00:00:00Z'), comment: 'laptop lost' };
  expect(await read()).toEqual([{ ...row, withdrawn: false }]);
  await record(configOf([NEXT], { revoked: [{ did: OLD, since: '2025-12-01T00:00:00Z' }] }));
  expect(await read()).toEqual([
    { did: OLD, since: new Date('2025-12-01T00:00:00Z'), comment: null, withdrawn: false },
    { ...row, withdrawn: true },
  ]);
  await record(configOf([NEXT], { revoked }));
  expect((await read()).map(({ withdrawn }) => withdrawn)).toEqual([true, false]);
});

it('only the reader writes, so replicas with another configuration do not reverse each other', async () => {
  await record(configOf([OLD]));
  const former = reader;
  await storage.database.query('DELETE FROM replica');
  reader = await newReader(storage.database);
  await record(configOf([NEXT]));
  await expect(record(configOf([OLD]), former)).rejects.toThrow(LeaseLostError);
  expect(await summaryOf()).toEqual([
    ['1', '', true],
    ['2', 'A,B', false],
    ['3', 'A,B', true],
  ]);
});

it('the run role cannot remove or rewrite a row', async () => {
  await record(configOf([OLD]));
  for (const sql of [
    'DELETE FROM trusted_key',
    `UPDATE trusted_key SET trusted_from = now()`,
    `UPDATE trusted_key SET participants = '{}'`,
    'DELETE FROM revoked_key',
    'UPDATE revoked_key SET revoked_since = now()',
  ])
    await expect(storage.database.query(sql)).rejects.toMatchObject({ code: '42501' });
});
