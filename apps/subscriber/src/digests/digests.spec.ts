import { readFileSync } from 'node:fs';
import type { AlertRule } from '@ssb/config';
import { createLogger, Metrics } from '@ssb/platform';
import { waitFor } from '@ssb/testing';
import { Ajv } from 'ajv';
import { attemptResult } from '../../test/support/attempt-result.js';
import { marginEntry, problemEntry } from '../../test/support/problem-events.js';
import { useRuledArchive } from '../../test/support/ruled-archive.js';
import type { VerifiedEntry } from '../archive/archive-entries.js';
import { Deliverer } from '../deliveries/deliverer.js';
import { composeBody } from '../deliveries/messages/compose-body.js';
import { DeliveryOutbox } from '../deliveries/outbox/delivery-outbox.js';
import type { PendingDelivery } from '../deliveries/outbox/pending-delivery.js';
import { ParkedDeliveries } from '../deliveries/outbox/parked-deliveries.js';
import type { Verdict } from '../deliveries/domain/delivery-policy.js';
import type { DeliverySelection } from '../deliveries/requests/delivery-selection.js';
import { resendDeliveries } from '../deliveries/requests/resend-deliveries.js';
import { skipDeliveries } from '../deliveries/requests/skip-deliveries.js';
import type { SinkMessage } from '../deliveries/sinks/alert-sink.js';
import { ReminderScheduler } from '../reminders/reminder-scheduler.js';
import { OpenSilences } from '../silences/open-silences.js';
import { SubscriberMetrics } from '../subscriber-metrics.js';
import { sendDigests } from './send-digests.js';

const SCHEMA_FILE = '../../../../../libs/events/delivery-schemas/settlementbus.delivery.digest.v1.json';
const GROUP: AlertRule = { sinks: ['a'], group: '1h' };
const never = new AbortController().signal;

const archive = useRuledArchive([
  { name: 'a', kind: 'log' },
  { name: 'b', kind: 'log' },
]);
const { useRules, record, select } = archive;
const failed: string[] = [];
beforeEach(() => void (failed.length = 0));
const send = (database = archive.database) =>
  sendDigests(database, archive.config, never, (sink) => void failed.push(sink));
const countSent = async (): Promise<number[]> => (await send()).sent.map(({ events }) => events);

/** Moves all deliveries into the past. A pause is over a millisecond later, because its time is rounded. */
const wait = (minutes: number) =>
  archive.database.query(
    `UPDATE delivery SET created_at = created_at - make_interval(mins => $1) - interval '1 ms'`,
    [minutes],
  );

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
       AS text FROM delivery ORDER BY details IS NOT NULL, archive_offset`,
  );
  return rows.map(({ text }) => text);
};

/** A replica claims all that is due. */
const claim = async (): Promise<readonly PendingDelivery[]> => {
  const { token: term } = await archive.storage.newTerm();
  const subjects = await new DeliveryOutbox(archive.database).claim({
    ...{ sink: 'a', term, lowest: 3, subjects: 10, perSubject: 10, subjectsInProcess: [] },
  });
  return subjects.flatMap((subject) => subject.deliveries);
};
const claimDigest = async (): Promise<PendingDelivery> => {
  const [digest] = (await claim()).filter(({ grouped }) => grouped !== null);
  if (digest === undefined) throw new Error('no digest');
  return digest;
};
const RUN = { progress: undefined, save: () => Promise.resolve(), signal: never };
const resend = (selection: Omit<DeliverySelection, 'sinks'>) =>
  resendDeliveries(archive.database, { ...selection, sinks: ['a'] }, RUN);

const finish = async ({ eventId, subject }: PendingDelivery, verdict: Verdict): Promise<void> => {
  const [row] = await select<{ term: number }>(
    `SELECT claimed_by AS term FROM delivery_subject WHERE subject = 'sink/a'`,
  );
  const result = attemptResult(eventId, subject, verdict);
  await new DeliveryOutbox(archive.database).recordResults('a', row?.term ?? NaN, [result], [subject]);
};
const park = (digest: PendingDelivery): Promise<void> => finish(digest, { kind: 'refused' });

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
  const rounds = await Promise.all([send(), send(archive.otherDatabase)]);
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
  // The archived events of this test lack some attributes of a CloudEvent.
  const complete = body.data.events.map((event) => ({
    ...{ specversion: '1.0', source: 'urn:settlement-bus-bridge:WPGENCO', type: 'settlementbus.x.v1' },
    ...{ id: digest.eventId },
    data: event,
  }));
  const accepts = new Ajv({ strict: true }).compile(schema);
  expect(accepts({ ...body, data: { ...body.data, events: complete } }) || accepts.errors).toBe(true);
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

/** Attempts a digest with a sink that accepts it. @param forged the event that fails verification */
const attempt = async (digest: PendingDelivery, forged?: string) => {
  const messages: SinkMessage[] = [];
  const lines: object[] = [];
  const faults: unknown[] = [];
  const deliverer = new Deliverer(
    { baseMs: 1, maxMs: 1 },
    {
      verify: ({ eventId }) => (eventId === forged ? { ok: false, detail: 'forged' } : { ok: true }),
      onUnverified: (event, detail, digestId) => faults.push([event.eventId, event.type, detail, digestId]),
    },
    new SubscriberMetrics(new Metrics()),
    createLogger({
      ...{ name: 'test', level: 'info', format: 'json' },
      stream: { write: (line) => void lines.push(JSON.parse(line) as object) },
    }),
  );
  const { result } = await deliverer.attempt(
    {
      name: 'a',
      deliver: (message: SinkMessage) => {
        messages.push(message);
        return Promise.resolve({ kind: 'delivered' });
      },
      close: () => Promise.resolve(),
    },
    digest,
    never,
  );
  return { result, messages, lines, faults };
};

it('a digest is delivered as one message, and the log names its events', async () => {
  useRules(GROUP);
  await record(...notices(2));
  await wait(60);
  await send();
  const digest = await claimDigest();
  const { result, messages, lines } = await attempt(digest);
  expect(result).toMatchObject({ outcome: 'delivered' });
  expect(messages).toMatchObject([
    { kind: 'notice', type: 'settlementbus.delivery.digest.v1', participant: '*', problemId: null },
  ]);
  expect(messages[0]).not.toHaveProperty('grouped');
  expect(lines).toMatchObject([
    { msg: 'delivery succeeded', eventId: digest.eventId, eventIds: ['e001', 'e002'] },
  ]);
});

it('an event that cannot be verified parks the digest, and is named; a person resends the others', async () => {
  useRules(GROUP);
  await record(...notices(3));
  await wait(60);
  await send();
  const digest = await claimDigest();
  const { result, messages, lines, faults } = await attempt(digest, 'e002');
  expect(messages).toEqual([]);
  expect(result).toMatchObject({
    ...{ eventId: digest.eventId, outcome: 'unverified', verdict: { kind: 'refused' } },
    description: 'not verified: e002: forged',
  });
  const eventType = 'settlementbus.statement.published.v1';
  expect(lines).toMatchObject([
    {
      ...{ msg: 'delivery refused', eventId: 'e002', digestId: digest.eventId, eventType },
      messageId: 'message-of-e002',
    },
  ]);
  expect(faults).toEqual([['e002', eventType, 'forged', digest.eventId]]);
  await park(digest);
  expect(await new ParkedDeliveries(archive.database).summarise()).toMatchObject([
    { sink: 'a', type: 'settlementbus.delivery.digest.v1', subject: 'sink/a' },
  ]);
  await resend({ ids: ['e001', 'e003'], states: ['withheld'] });
  expect((await claim()).map(({ eventId, text }) => [eventId, text.includes(eventId)])).toEqual([
    ['e001', true],
    ['e003', true],
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
  await resend({ ids: ['e001'], states: ['withheld'] });
  await wait(60);
  expect(await countSent()).toEqual([1]);
  await resend({ states: ['withheld'] });
  expect((await deliveries()).filter((text) => text.includes('grouped'))).toHaveLength(1);
  await resend({ ids: ['e002'], states: ['withheld'] });
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

/** The database refuses the digests of a sink meanwhile. */
const refuseDigestsOf = async (sink: string, work: () => Promise<void>): Promise<void> => {
  const alter = (sql: string) => archive.storage.server.query(`ALTER TABLE subscriber.delivery ${sql}`);
  await alter(`ADD CONSTRAINT refuses CHECK (sink <> '${sink}' OR digest_id IS NULL) NOT VALID`);
  try {
    await work();
  } finally {
    await alter('DROP CONSTRAINT refuses');
  }
};

it('a sink whose digest fails does not stop the others, and is tried again', async () => {
  useRules(GROUP, { ...GROUP, sinks: ['b'] });
  await record(...notices(2));
  await wait(60);
  await refuseDigestsOf('a', async () => {
    const { sent, nextMs = 0 } = await send();
    expect(sent).toMatchObject([{ sink: 'b', events: 2 }]);
    expect(failed).toEqual(['a']);
    expect(nextMs).toBeGreaterThan(0);
  });
  expect((await send()).sent).toMatchObject([{ sink: 'a', events: 2 }]);
});

it('a claim has one digest of a sink at a time', async () => {
  useRules(GROUP);
  await record(...[1, 2, 3].map((number) => notice(number, 'x'.repeat(600_000))));
  await wait(60);
  expect(await countSent()).toEqual([1, 1, 1]);
  const first = await claimDigest();
  await finish(first, { kind: 'delivered' });
  const second = await claim();
  expect(second.map(({ grouped }) => grouped?.map(({ eventId }) => eventId))).toEqual([['e002']]);
});

const undelivered = async (): Promise<unknown[]> => {
  const rows = await archive.database.query<{ eventId: string; state: string; digestId: string | null }>(
    `SELECT event_id AS "eventId", delivery_state(delivery) AS state, digest_id AS "digestId" FROM delivery
     WHERE delivery_state(delivery) <> 'delivered' ORDER BY digest_id NULLS LAST, archive_offset`,
  );
  return rows.map(({ eventId, state, digestId }) => [eventId, state, digestId ?? undefined]);
};

const remove = (condition: string, table = 'delivery') =>
  archive.storage.server.query(`DELETE FROM subscriber.${table} ${condition}`);

it('the events of a digest are delivered with it, and are not deleted before it', async () => {
  useRules(GROUP);
  await record(...notices(2));
  await wait(60);
  await send();
  const digest = await claimDigest();
  const { eventId } = digest;
  expect(await undelivered()).toEqual([
    ['e001', 'withheld', eventId],
    ['e002', 'withheld', eventId],
    [eventId, 'pending', undefined],
  ]);
  await finish(digest, { kind: 'delivered' });
  expect(await undelivered()).toEqual([]);
  await expect(remove(`WHERE event_id = 'e001'`)).rejects.toThrow(
    'A digest has the events of these deliveries.',
  );
  await remove('');
});

it('after a forged event was deleted with its digest, the others are in another one', async () => {
  useRules(GROUP, { ...GROUP, sinks: ['b'] });
  await record(...notices(3));
  await wait(60);
  await send();
  const digest = await claimDigest();
  await park(digest);
  // The condition of docs/operate/alerts/messages-lost.md.
  await remove(`WHERE event_id = 'e003' OR about_event_id = 'e003'
    OR (event_id, sink) IN (SELECT digest_id, sink FROM subscriber.delivery WHERE event_id = 'e003')`);
  await remove(`WHERE event_id = 'e003'`, 'archive');
  expect((await send()).sent).toMatchObject([
    { sink: 'a', events: 2 },
    { sink: 'b', events: 2 },
  ]);
  const other = await claimDigest();
  expect(other.grouped?.map(({ eventId }) => eventId)).toEqual(['e001', 'e002']);
  expect(other.eventId).not.toBe(digest.eventId);
});

it('the events of a digest that is deleted while it is pending wait for another one', async () => {
  useRules(GROUP);
  await record(...notices(2));
  await wait(60);
  await send();
  await remove(`WHERE details IS NOT NULL`);
  expect(await countSent()).toEqual([2]);
  await finish(await claimDigest(), { kind: 'delivered' });
  expect(await undelivered()).toEqual([]);
});

it.each<['delivered' | 'skipped', (digest: PendingDelivery) => Promise<unknown>]>([
  ['delivered', (digest) => finish(digest, { kind: 'delivered' })],
  ['skipped', ({ eventId }) => skipDeliveries(archive.database, { sinks: ['a'], ids: [eventId] }, RUN)],
])('the events of a deleted digest that was %s are so too, and not sent again', async (state, end) => {
  useRules(GROUP);
  await record(...notices(2));
  await wait(60);
  await send();
  await end(await claimDigest());
  await remove(`WHERE details IS NOT NULL`);
  expect(await countSent()).toEqual([]);
  expect(await select('SELECT delivery_state(delivery) AS state, digest_id FROM delivery')).toEqual(
    Array(2).fill({ state, digest_id: null }),
  );
});

it('an urgent event of a delivered digest is resent without urgency', async () => {
  useRules(GROUP);
  await record(notice(1));
  await select('UPDATE delivery SET urgent = true');
  await wait(60);
  await send();
  await finish(await claimDigest(), { kind: 'delivered' });
  await resend({ ids: ['e001'] });
  expect(await claim()).toMatchObject([{ eventId: 'e001', urgent: false, resent: true }]);
});

it('a request about types or participants selects a digest when one of its events matches', async () => {
  useRules(GROUP);
  await record(
    notice(1),
    problemEntry({ id: 'e002', type: 'payment.due', subject: 'WPGENCO/payment', sequence: 1 }),
  );
  await wait(60);
  await send();
  const change = async (selection: object): Promise<unknown> => {
    const result = await skipDeliveries(archive.database, { ...selection, sinks: ['a'] }, RUN);
    await resend({ states: ['skipped'] });
    return result.outcome === 'done' ? result.progress.changed : result;
  };
  const types = (...names: string[]) => ({ types: names.map((name) => `settlementbus.${name}.v1`) });
  expect(await change(types('statement.published'))).toBe(1);
  expect(await change(types('payment.due'))).toBe(1);
  expect(await change(types('margin.warning'))).toBe(0);
  expect(await change(types('delivery.digest'))).toBe(1);
  expect(await change({ ...types('delivery.digest'), participants: ['OTHER'] })).toBe(0);
  expect(await change({ ...types('payment.due'), participants: ['OTHER'] })).toBe(0);
  expect(await change({ ...types('payment.due'), digests: false })).toBe(0);
});

it('the scheduler logs and counts each digest, also after a failed sink', async () => {
  useRules(GROUP, { ...GROUP, sinks: ['b'] });
  await record(...notices(2));
  await wait(60);
  const lines: Record<string, unknown>[] = [];
  const metrics = new Metrics();
  const scheduler = new ReminderScheduler(
    archive.database,
    { current: () => archive.config },
    new OpenSilences(archive.database),
    new SubscriberMetrics(metrics),
    createLogger({
      ...{ name: 'test', level: 'info', format: 'json' },
      stream: { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
    }),
  );
  await refuseDigestsOf('a', async () => {
    scheduler.start(await archive.storage.newTerm());
    await waitFor('the digest', () => lines.some(({ msg }) => msg === 'digest added'));
    await scheduler.stop();
  });
  expect(lines).toMatchObject([
    { msg: 'digest failed', sink: 'a' },
    { msg: 'digest added', sink: 'b', count: 2 },
  ]);
  expect(await metrics.registry.metrics()).toContain(
    'settlement_bridge_subscriber_digests_total{sink="b"} 1',
  );
});
