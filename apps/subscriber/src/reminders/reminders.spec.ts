import type { AlertRule } from '@ssb/config';
import { waitFor } from '@ssb/testing';
import type { Database, SqlSession } from '@ssb/postgres';
import { attemptResult } from '../../test/support/attempt-result.js';
import { marginEntry, problemEntry } from '../../test/support/problem-events.js';
import { useRuledArchive } from '../../test/support/ruled-archive.js';
import { createAlertPolicy } from '../archive/alert-policy.js';
import type { VerifiedEntry } from '../archive/archive-entries.js';
import { composeBody } from '../deliveries/messages/compose-body.js';
import { DeliveryOutbox } from '../deliveries/outbox/delivery-outbox.js';
import { acknowledgeProblem, closeProblem } from '../problems/problem-requests.js';
import { planDeliveries } from '../archive/plan-deliveries.js';
import { createLogger, Metrics } from '@ssb/platform';
import { OpenSilences } from '../silences/open-silences.js';
import { SubscriberMetrics } from '../subscriber-metrics.js';
import { ReminderScheduler } from './reminder-scheduler.js';
import { sendDueMessages } from './send-due-messages.js';

const SUBJECT = 'WPGENCO/WEM/2026-03-01/INITIAL';
const ALWAYS = [{ days: ['mon-sun'], timeZone: 'UTC' }];
const never = new AbortController().signal;

const archive = useRuledArchive();
const { useRules, record, select } = archive;
const send = (database = archive.database) => sendDueMessages(database, archive.config, never);

/** Moves all messages into the past. A pause is over a millisecond later, because its time is rounded. */
const wait = (minutes: number) =>
  archive.database.query(
    `UPDATE delivery SET created_at = created_at - pause, delivered_at = delivered_at - pause
     FROM (SELECT make_interval(mins => $1) + interval '1 ms' AS pause) AS waited`,
    [minutes],
  );
/** The sinks accept what waits. */
const accept = async (): Promise<void> => {
  await select('UPDATE delivery SET delivered_at = clock_timestamp() WHERE delivered_at IS NULL');
  await select('UPDATE delivery_subject SET pending = 0, alerts = 0, urgent = 0');
};
const messages = async (): Promise<string[]> => {
  const rows = await select<{ text: string }>(
    `SELECT concat_ws(' ', kind, sink, problem_state, details->>'delivery', withheld, CASE WHEN delivered_at IS NULL THEN 'pending' ELSE last_outcome END)
       AS text FROM delivery ORDER BY created_at, sink`,
  );
  return rows.map(({ text }) => text);
};
const problemId = async (): Promise<string> =>
  (await select<{ id: string }>('SELECT problem_id AS id FROM problem'))[0]?.id ?? '';
const acknowledge = async (decide = acknowledgeProblem) =>
  archive.database.transaction(async (session) =>
    decide(session, {
      requestId: 1,
      parameters: { problemId: await problemId() },
      author: 'jane',
      comment: 'on it',
    }),
  );

/** All facts are older than the time from which they are news. */
const recordHeld = (entry: VerifiedEntry) =>
  archive.recordWith(
    { alertsSince: () => new Map([['WPGENCO', new Date('2026-04-01T00:00:00Z')]]), holdMs: 0 },
    entry,
  );

/** A replica attempts the first delivery of the sink, which accepts it. */
const startAttempt = async (sink: string) => {
  const { token: term } = await archive.storage.newTerm();
  const outbox = new DeliveryOutbox(archive.database);
  const [claimed] = await outbox.claim({
    ...{ sink, term, lowest: 2, subjects: 1, perSubject: 1, subjectsInProcess: [] },
  });
  const [delivery] = claimed?.deliveries ?? [];
  if (delivery === undefined) throw new Error('no delivery');
  const { eventId, subject } = delivery;
  const result = attemptResult(eventId, subject, { kind: 'delivered' });
  return { record: () => outbox.recordResults(sink, term, [result], [subject]) };
};

const overdue = (id: string, sequence: number) =>
  problemEntry({
    id,
    type: 'statement.overdue',
    subject: SUBJECT,
    sequence,
    data: { statementDate: '2026-03-01' },
  });

const REMIND: AlertRule = { sinks: ['a'], remindEvery: '30m' };

it('a reminder is sent once by two replicas, not early, and once after many pauses', async () => {
  useRules(REMIND);
  await record(marginEntry('e1', 'WARNING', 1));
  await accept();
  await wait(29);
  expect(await send()).toMatchObject({ sent: [], nextMs: expect.any(Number) as number });
  const ids = new Set<string>();
  for (const minutes of [1, 600, 30]) {
    await wait(minutes);
    const rounds = await Promise.all([send(), send(archive.otherDatabase)]);
    const sent = rounds.flatMap((round) => round.sent);
    expect(sent.map(({ kind, sink }) => `${kind} ${sink}`)).toEqual(['reminder a']);
    for (const { id } of sent) ids.add(id);
    expect((await send()).sent).toEqual([]);
    expect(await select('SELECT pending, alerts, urgent FROM delivery_subject')).toEqual([
      { pending: 1, alerts: 1, urgent: 0 },
    ]);
    await accept();
  }
  expect(ids.size).toBe(3);
});

it('a body has the archived event inside, byte for byte, and is the same for every attempt', async () => {
  useRules(REMIND);
  const entry = marginEntry('e1', 'BREACHED', 1, { tradingMargin: '-12345678901234567890.12345678' });
  await record(entry);
  await accept();
  await wait(30);
  await send();
  const { token } = await archive.storage.newTerm();
  const query = {
    sink: 'a',
    term: token,
    lowest: 2,
    subjects: 1,
    perSubject: 9,
    subjectsInProcess: [],
  } as const;
  const [claimed] = await new DeliveryOutbox(archive.database).claim(query);
  const [delivery] = claimed?.deliveries ?? [];
  if (delivery === undefined) throw new Error('no delivery');
  const body = composeBody(delivery);
  expect(composeBody(delivery)).toEqual(body);
  const { text } = body as { text: string };
  expect(text).toContain(`"event":${entry.message.payload}}`);
  expect(JSON.parse(text)).toMatchObject({
    id: delivery.eventId,
    type: 'settlementbus.delivery.reminder.v1',
    subject: `problem/${await problemId()}`,
    data: { number: 1, problem: { kind: 'margin', state: 'open', level: 'BREACHED', severity: 'critical' } },
  });
  expect(composeBody({ ...delivery, details: {} as never })).toMatchObject({ ok: false });
  expect(composeBody({ ...delivery, details: null })).toMatchObject({ ok: false });
});

it('an acknowledgement withdraws the reminder, reaches the sink, and changes the pause', async () => {
  useRules({ ...REMIND, remindAcknowledgedEvery: '2h' });
  await record(marginEntry('e1', 'WARNING', 1));
  await accept();
  await wait(30);
  await send();
  await acknowledge();
  expect(await messages()).toEqual([
    'alert a open',
    'reminder a open reminder withdrawn',
    'notice a acknowledged acknowledged pending',
  ]);
  expect(await select('SELECT pending, alerts FROM delivery_subject')).toEqual([{ pending: 1, alerts: 0 }]);
  await accept();
  await wait(119);
  expect((await send()).sent).toEqual([]);
  await wait(1);
  expect((await send()).sent).toMatchObject([{ kind: 'reminder', sink: 'a' }]);
});

it('the end of a problem withdraws reminders and ends them; the sink learns of a closed one', async () => {
  useRules(REMIND);
  await record(marginEntry('e1', 'WARNING', 1));
  await accept();
  await wait(30);
  await send();
  await record(marginEntry('e2', 'OK', 2, { tradingMargin: '900000.00' }));
  expect(await messages()).toEqual([
    'alert a open',
    'reminder a open reminder withdrawn',
    'resolved a resolved pending',
  ]);
  await archive.clear();
  await record(marginEntry('e1', 'WARNING', 1));
  await accept();
  await acknowledge(closeProblem);
  await accept();
  await wait(999);
  expect((await send()).sent).toEqual([]);
  expect(await messages()).toEqual(['alert a open', 'notice a closed closed']);
});

it('a problem whose alerts no sink accepted is escalated although acknowledged, and its end goes there', async () => {
  useRules({ sinks: ['a'], escalate: { after: '30m', sinks: ['boss'] } });
  await record(marginEntry('e1', 'WARNING', 1));
  await acknowledge();
  await wait(30);
  expect((await send()).sent).toMatchObject([{ kind: 'escalation', sink: 'boss' }]);
  await accept();
  await wait(30);
  expect((await send()).sent).toEqual([]);
  // A worse level opens it again.
  await record(marginEntry('e2', 'BREACHED', 2));
  await accept();
  await wait(30);
  expect((await send()).sent).toMatchObject([{ kind: 'escalation', sink: 'boss' }]);
  await accept();
  await record(marginEntry('e3', 'OK', 3));
  expect((await messages()).slice(-2).sort()).toEqual([
    'resolved a resolved pending',
    'resolved boss resolved pending',
  ]);
});

it('a muted alert is withheld with all that follows, and sent when the mute ends', async () => {
  useRules({ sinks: ['a'], mute: ALWAYS }, { sinks: ['log'] });
  await record(overdue('e1', 1));
  expect((await send()).sent).toEqual([]);
  await acknowledge();
  expect((await messages()).sort()).toEqual([
    'alert a open muted',
    'alert log open pending',
    'notice a acknowledged acknowledged muted',
    'notice log acknowledged acknowledged pending',
  ]);
  await archive.clear();
  await record(overdue('e1', 1));
  useRules({ sinks: ['a'] });
  await accept();
  expect((await send()).sent).toMatchObject([{ kind: 'reminder', sink: 'a', withheld: null }]);
  await accept();
  expect((await send()).sent).toEqual([]);
  // A critical event is sent at any time.
  useRules({ sinks: ['a'], mute: ALWAYS });
  await record(marginEntry('e2', 'BREACHED', 1));
  expect((await messages()).at(-1)).toBe('alert a open pending');
});

it('minInterval withholds further events of a subject, within a batch too, but not a critical one', async () => {
  useRules({ sinks: ['a'], minInterval: '10m' });
  await record(marginEntry('e1', 'WARNING', 1), marginEntry('e2', 'WARNING', 2));
  await record(marginEntry('e3', 'WARNING', 3), marginEntry('e4', 'BREACHED', 4));
  const withheld = () => select('SELECT event_id AS id, withheld FROM delivery ORDER BY archive_offset');
  expect(await withheld()).toEqual([
    { id: 'e1', withheld: null },
    { id: 'e2', withheld: 'min-interval' },
    { id: 'e3', withheld: 'min-interval' },
    { id: 'e4', withheld: null },
  ]);
  await select("UPDATE delivery_subject SET added_at = added_at - interval '10 minutes'");
  await record(marginEntry('e5', 'WARNING', 5));
  expect((await withheld()).at(-1)).toEqual({ id: 'e5', withheld: null });
});

it('a held delivery counts for minInterval once its sink has it, so a newer event that replaces it is not withheld', async () => {
  useRules({ sinks: ['a'], minInterval: '10m' });
  const texts: string[] = [];
  for (const [at, id] of ['e1', 'e2', 'e3'].entries()) {
    await recordHeld(marginEntry(id, 'WARNING', at + 1));
    texts.push((await messages()).join(', '));
    if (id === 'e2') await (await startAttempt('a')).record();
  }
  expect(texts).toEqual([
    'alert a open pending',
    'alert a open superseded, alert a open pending',
    'alert a open superseded, alert a open delivered, status 204, alert a open min-interval',
  ]);
});

it('minInterval withholds no alert that opens a problem or raises its level', async () => {
  useRules({ sinks: ['a'], minInterval: '10m', withholdCritical: ['minInterval'] });
  await record(
    problemEntry({ id: 'e0', type: 'payment.due', subject: 'WPGENCO/prudential', sequence: 1 }),
    marginEntry('e1', 'WARNING', 2),
    marginEntry('e2', 'WARNING', 3),
    marginEntry('e3', 'BREACHED', 4),
    marginEntry('e4', 'BREACHED', 5),
  );
  expect(await select('SELECT event_id AS id, withheld FROM delivery ORDER BY archive_offset')).toEqual([
    { id: 'e0', withheld: null },
    { id: 'e1', withheld: null },
    { id: 'e2', withheld: 'min-interval' },
    { id: 'e3', withheld: null },
    { id: 'e4', withheld: 'min-interval' },
  ]);
});

it('a problem that fails does not stop the reminders of the others', async () => {
  useRules(REMIND);
  await record(marginEntry('e1', 'WARNING', 1), overdue('e2', 1));
  await accept();
  await wait(30);
  const failed: string[] = [];
  const failsOnce = {
    query: (sql: string, values: []) => archive.database.query(sql, values),
    transaction: (work: (session: SqlSession) => Promise<unknown>) =>
      failed.length === 0 ? Promise.reject(new Error('broken')) : archive.database.transaction(work),
  } as unknown as Database;
  const round = await sendDueMessages(failsOnce, archive.config, never, undefined, (id) => failed.push(id));
  expect(round).toMatchObject({ sent: [{ kind: 'reminder' }], isComplete: false });
  const { sent } = await send();
  expect(sent.map(({ problemId: id }) => id)).toEqual(failed);
});

const createScheduler = (database: Database): ReminderScheduler =>
  new ReminderScheduler(
    database,
    { current: () => archive.config },
    new OpenSilences(database),
    new SubscriberMetrics(new Metrics()),
    createLogger({
      name: 'subscriber',
      level: 'error',
      format: 'json',
      stream: { write: () => undefined },
    }),
  );

it('a mute that was removed before the start is followed by the reminder', async () => {
  useRules({ sinks: ['a'], mute: ALWAYS });
  await record(overdue('e1', 1));
  useRules({ sinks: ['a'] });
  const scheduler = createScheduler(archive.database);
  scheduler.start(await archive.storage.newTerm());
  await waitFor('the reminder', async () => (await messages()).length === 2);
  await scheduler.stop();
  expect((await messages()).at(-1)).toBe('reminder a open reminder pending');
});

it('a sink whose first message is in flight learns of the acknowledgement, and its attempt is recorded', async () => {
  useRules({ sinks: ['a'], escalate: { after: '30m', sinks: ['boss'] } });
  await record(marginEntry('e1', 'WARNING', 1));
  await accept();
  await wait(30);
  await send();
  const delivered = await startAttempt('boss');
  await acknowledge();
  await delivered.record();
  expect((await messages()).slice(1).sort()).toEqual([
    'escalation boss open escalation delivered, status 204',
    'notice a acknowledged acknowledged pending',
    'notice boss acknowledged acknowledged pending',
  ]);
  expect(await select('SELECT sink, outcome FROM attempt')).toEqual([{ sink: 'boss', outcome: 'delivered' }]);
  expect(await select(`SELECT pending, alerts FROM delivery_subject WHERE sink = 'boss'`)).toEqual([
    { pending: 1, alerts: 0 },
  ]);
});

it('a sink whose held alert is in flight learns of the end of the problem', async () => {
  useRules({ sinks: ['a'], severities: ['warning'] });
  await recordHeld(marginEntry('e1', 'WARNING', 1));
  await startAttempt('a');
  await recordHeld(marginEntry('e2', 'OK', 2));
  expect(await messages()).toEqual(['alert a open pending', 'resolved a resolved pending']);
});

it('the scheduler sends what became due before a restart, and follows a changed configuration', async () => {
  useRules({ sinks: ['a'] });
  await record(marginEntry('e1', 'WARNING', 1));
  await accept();
  await wait(600);
  for (const start of [1, 2]) {
    const scheduler = createScheduler(archive.database);
    scheduler.start(await archive.storage.newTerm());
    if (start === 1) {
      useRules(REMIND);
      scheduler.wake();
    }
    await waitFor(
      'the reminder',
      async () => (await messages()).filter((text) => text.startsWith('reminder')).length === start,
    );
    await scheduler.stop();
    await accept();
    await wait(30);
  }
});

it('rules without these keys cost the archive no statement', async () => {
  useRules({ sinks: ['a'] });
  const session = { query: () => Promise.reject(new Error('a statement')) } as unknown as SqlSession;
  const entry = marginEntry('e1', 'BREACHED', 1);
  const timed = { entry, marks: [], timing: 'now' } as const;
  const effect = {
    problemId: 'p',
    change: 'opened',
    isRaised: true,
    state: 'open',
    severity: 'critical',
    worstSeverity: 'critical',
  } as const;
  const policy = createAlertPolicy(archive.config);
  const [decided] = await planDeliveries(session, [timed], new Map([[entry, effect]]), policy, new Date());
  expect(decided?.deliveries).toMatchObject([{ sink: 'a', kind: 'alert' }]);
});
