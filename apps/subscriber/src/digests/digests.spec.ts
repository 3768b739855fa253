import { readFileSync } from 'node:fs';
import type { AlertRule, OperatorConfig } from '@ssb/config';
import { createLogger, Metrics } from '@ssb/platform';
import { Database } from '@ssb/postgres';
import { Ajv } from 'ajv';
import { marginEntry, problemEntry } from '../../test/support/problem-events.js';
import {
  createArchive,
  openSubscriberDatabase,
  type SubscriberDatabase,
} from '../../test/support/subscriber-database.js';
import { createAlertPolicy } from '../archive/alert-policy.js';
import type { Archive } from '../archive/archive.js';
import type { VerifiedEntry } from '../archive/archive-entries.js';
import { SCHEMA } from '../database/database-options.js';
import { Deliverer } from '../deliveries/deliverer.js';
import { composeBody } from '../deliveries/messages/compose-body.js';
import { DeliveryOutbox } from '../deliveries/outbox/delivery-outbox.js';
import type { PendingDelivery } from '../deliveries/outbox/pending-delivery.js';
import { resendDeliveries } from '../deliveries/requests/resend-deliveries.js';
import type { SinkMessage } from '../deliveries/sinks/alert-sink.js';
import type { ReaderToken } from '../replica/reader-lease.js';
import { SubscriberMetrics } from '../subscriber-metrics.js';
import { sendDigests } from './send-digests.js';

const SCHEMA_FILE = '../../../../../libs/events/delivery-schemas/settlementbus.delivery.digest.v1.json';
const GROUP: AlertRule = { sinks: ['a'], group: '1h' };
const never = new AbortController().signal;

let storage: SubscriberDatabase;
let otherDatabase: Database;
let archive: Archive;
let reader: ReaderToken;
let config: Pick<OperatorConfig, 'alerts'>;

beforeAll(async () => {
  storage = await openSubscriberDatabase();
  otherDatabase = new Database({ url: storage.url, schema: SCHEMA });
  archive = createArchive(storage.database, {
    alertPolicy: () => createAlertPolicy(config as OperatorConfig),
  });
});
beforeEach(async () => {
  await storage.clear();
  reader = await storage.newReader();
});
afterAll(async () => {
  await otherDatabase.close();
  await storage.close();
});

const useRules = (...rules: AlertRule[]): void =>
  void (config = { alerts: { sinks: [{ name: 'a', kind: 'log' }], rules } });
const record = (...entries: VerifiedEntry[]) => archive.recordEntries(entries, new Date(), reader);
const select = <Row>(sql: string) => storage.database.query<Row>(sql);
const send = (database = storage.database) => sendDigests(database, config, never);
const countSent = async (): Promise<number[]> => (await send()).sent.map(({ events }) => events);

/** Moves all deliveries into the past. */
const wait = (minutes: number) =>
  storage.database.query('UPDATE delivery SET created_at = created_at - make_interval(mins => $1)', [
    minutes,
  ]);

const notice = (number: number, comment = 'x'): VerifiedEntry =>
  problemEntry({
    id: `e${String(number).padStart(3, '0')}`,
    type: 'statement.published',
    subject: `WPGENCO/WEM/2026-03-01/RUN-${number}`,
    sequence: 1,
    data: { comment },
  });
const notices = (count: number): VerifiedEntry[] => Array.from({ length: count }, (_, at) => notice(at + 1));

const deliveries = async (): Promise<string[]> => {
  const rows = await select<{ text: string }>(
    `SELECT concat_ws(' ', kind, CASE WHEN details IS NULL THEN event_id ELSE details->>'delivery' END, severity, withheld, digest_id IS NOT NULL)
       AS text FROM delivery ORDER BY created_at, event_id`,
  );
  return rows.map(({ text }) => text);
};

/** A replica claims all that is due. */
const claim = async (): Promise<readonly PendingDelivery[]> => {
  const { token: term } = await storage.newTerm();
  const subjects = await new DeliveryOutbox(storage.database).claim({
    ...{ sink: 'a', term, lowest: 3, subjects: 10, perSubject: 10, subjectsInProcess: [] },
  });
  return subjects.flatMap((subject) => subject.deliveries);
};
const claimDigest = async (): Promise<PendingDelivery> => {
  const [digest] = (await claim()).filter(({ grouped }) => grouped !== null);
  if (digest === undefined) throw new Error('no digest');
  return digest;
};
const textOf = (digest: PendingDelivery): string => (composeBody(digest) as { text: string }).text;

it('notices are sent together once by two replicas, not early, and alerts at once', async () => {
  useRules(GROUP);
  await record(...notices(2), marginEntry('breach', 'BREACHED', 1));
  await wait(59);
  const early = await send();
  expect(early.sent).toEqual([]);
  expect(early.nextMs).toBeGreaterThan(0);
  expect(early.nextMs).toBeLessThanOrEqual(60_001);
  await wait(1);
  const rounds = await Promise.all([send(), send(otherDatabase)]);
  expect(rounds.flatMap(({ sent }) => sent)).toEqual([
    { id: expect.any(String) as string, sink: 'a', events: 2 },
  ]);
  expect(await deliveries()).toEqual([
    'notice e001 info grouped t',
    'notice e002 info grouped t',
    'alert breach critical f',
    'notice digest info f',
  ]);
  expect((await claim()).map(({ kind, grouped }) => [kind, grouped?.length])).toEqual([
    ['alert', undefined],
    ['notice', 2],
  ]);
});

it('after a pause the next notice begins another digest, and an outage of many pauses is one digest', async () => {
  useRules(GROUP);
  await record(notice(1));
  await wait(60);
  expect(await countSent()).toEqual([1]);
  await record(notice(2));
  expect(await countSent()).toEqual([]);
  await wait(300);
  await record(notice(3));
  expect(await countSent()).toEqual([2]);
  expect(await send()).toEqual({ sent: [], nextMs: undefined, isComplete: true });
});

it('a digest has the body of its schema, with the archived events byte for byte', async () => {
  useRules(GROUP);
  const entries = notices(2);
  await record(...entries);
  await wait(60);
  await send();
  const digest = await claimDigest();
  const text = textOf(digest);
  const schema = JSON.parse(readFileSync(new URL(SCHEMA_FILE, import.meta.url), 'utf8')) as object;
  const body = JSON.parse(text) as { data: { events: { id: string; source?: string }[] } };
  // The events of this test are no whole events.
  const whole = body.data.events.map((event) => ({
    ...{ specversion: '1.0', source: 'urn:settlement-bus-bridge:WPGENCO', type: 'settlementbus.x.v1' },
    ...{ id: digest.eventId },
    data: event,
  }));
  const accepts = new Ajv({ strict: true }).compile(schema);
  expect(accepts({ ...body, data: { ...body.data, events: whole } }) || accepts.errors).toBe(true);
  expect(accepts({ ...body, data: { ...body.data, events: [] } })).toBe(false);
  expect(text).toContain(`"events":[${entries.map(({ message }) => message.payload).join(',')}]}}`);
  expect(body).toMatchObject({ id: digest.eventId, subject: 'sink/a', data: { sink: 'a' } });
});

it('further events are in the next digest at once: beyond 50, and beyond 1 MiB', async () => {
  useRules(GROUP);
  await record(...notices(70));
  await wait(60);
  await record(...notices(120).slice(70));
  expect(await countSent()).toEqual([50, 50, 20]);
  await record(...[201, 202, 203].map((number) => notice(number, 'x'.repeat(500_000))));
  await record(notice(204, 'x'.repeat(1_200_000)));
  await wait(60);
  expect(await countSent()).toEqual([2, 1, 1]);
  expect(await select('SELECT count(*)::integer AS count FROM delivery WHERE digest_id IS NULL')).toEqual([
    { count: 6 },
  ]);
});

it('an event that cannot be verified parks the digest, and none of it is sent', async () => {
  useRules(GROUP);
  await record(...notices(2));
  await wait(60);
  await send();
  const digest = await claimDigest();
  const messages: SinkMessage[] = [];
  const sink = {
    name: 'a',
    deliver: (message: SinkMessage) => {
      messages.push(message);
      return Promise.resolve({ kind: 'delivered' as const });
    },
    close: () => Promise.resolve(),
  };
  const attempt = async (forged: string | undefined) => {
    const verify = ({ eventId }: { eventId: string }) =>
      eventId === forged ? { ok: false as const, detail: 'forged' } : { ok: true as const };
    const metrics = new SubscriberMetrics(new Metrics());
    const stored = { verify, onUnverified: () => undefined };
    const deliverer = new Deliverer(
      { baseMs: 1, maxMs: 1 },
      stored,
      metrics,
      createLogger({ name: 'test', level: 'silent', format: 'json' }),
    );
    return (await deliverer.attempt(sink, digest, never)).result;
  };
  expect(await attempt('e002')).toMatchObject({ outcome: 'unverified', verdict: { kind: 'refused' } });
  expect(messages).toEqual([]);
  expect(await attempt(undefined)).toMatchObject({ outcome: 'delivered' });
  expect(messages).toMatchObject([
    { kind: 'notice', type: 'settlementbus.delivery.digest.v1', participant: '*', problemId: null },
  ]);
});

it('a digest that lacks an event has no body', async () => {
  useRules(GROUP);
  await record(...notices(2));
  await wait(60);
  await send();
  const digest = await claimDigest();
  expect(composeBody({ ...digest, grouped: digest.grouped?.slice(1) ?? null })).toEqual({
    ok: false,
    detail: 'the details of the row are not those of a body: the digest lacks events',
  });
});

it('a muted rule sends its digest after the window; without a rule that groups, it is sent at once', async () => {
  const ALWAYS = [{ days: ['mon-sun'], timeZone: 'UTC' }];
  useRules(GROUP);
  await record(notice(1));
  await wait(60);
  useRules({ ...GROUP, mute: ALWAYS });
  const { sent, nextMs = NaN } = await send();
  expect([sent, nextMs > 0 && nextMs <= 60_000]).toEqual([[], true]);
  useRules({ sinks: ['a'] });
  expect(await countSent()).toEqual([1]);
});

it('a notice that a person resends before is in no digest, and one of a digest keeps it', async () => {
  useRules(GROUP);
  await record(...notices(2));
  const resend = (id: string) =>
    resendDeliveries(
      storage.database,
      { sinks: ['a'], ids: [id], states: ['withheld'] },
      { progress: undefined, save: () => Promise.resolve(), signal: never },
    );
  await resend('e001');
  await wait(60);
  expect(await countSent()).toEqual([1]);
  await resendDeliveries(
    storage.database,
    { sinks: ['a'], states: ['withheld'] },
    { progress: undefined, save: () => Promise.resolve(), signal: never },
  );
  expect((await deliveries()).filter((text) => text.includes('grouped'))).toHaveLength(1);
  await resend('e002');
  expect(textOf(await claimDigest())).toContain('"id":"e002"');
});

it('the severity is the highest of the events', async () => {
  useRules({ ...GROUP, withholdCritical: ['group'] });
  await record(notice(1), notice(2));
  await select(`UPDATE delivery SET severity = 'critical' WHERE event_id = 'e001'`);
  await wait(60);
  await send();
  expect(await claimDigest()).toMatchObject({ severity: 'critical' });
});
