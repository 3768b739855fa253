import type { AlertRule, OperatorConfig } from '@ssb/config';
import { createLogger, Metrics } from '@ssb/platform';
import { Database, type SqlSession } from '@ssb/postgres';
import { waitFor } from '@ssb/testing';
import { marginEntry, problemEntry } from '../../test/support/problem-events.js';
import {
  createArchive,
  openSubscriberDatabase,
  type SubscriberDatabase,
} from '../../test/support/subscriber-database.js';
import { createAlertPolicy } from '../archive/alert-policy.js';
import type { VerifiedEntry } from '../archive/archive-entries.js';
import { SCHEMA } from '@ssb/postgres/archive-schema';
import { ReminderScheduler } from '../reminders/reminder-scheduler.js';
import { sendDueMessages } from '../reminders/send-due-messages.js';
import type { ReaderToken } from '../replica/reader-lease.js';
import type { OpenRequest, RequestResult } from '../requests/request.js';
import type { RequestRun } from '../requests/request-run.js';
import { silenceRequests } from '../requests/silence-requests.js';
import { SubscriberMetrics } from '../subscriber-metrics.js';
import { OpenSilences } from './open-silences.js';
import { auditSilence } from './silence-audit.js';
import { SilenceKeeper } from './silence-keeper.js';

const never = new AbortController().signal;
const ROUTE: AlertRule = { sinks: ['desk'] };
const config = {
  alerts: { sinks: [{ name: 'desk', kind: 'log' }], rules: [ROUTE], audit: ['audit'] },
  participants: [{ code: 'WPGENCO' }],
} as unknown as OperatorConfig;

let storage: SubscriberDatabase;
let otherDatabase: Database;
let silences: OpenSilences;
let reader: ReaderToken;
let statements: string[];

beforeAll(async () => {
  storage = await openSubscriberDatabase();
  otherDatabase = new Database({ url: storage.url, schema: SCHEMA });
});
beforeEach(async () => {
  await storage.clear();
  reader = await storage.newReader();
  silences = new OpenSilences(storage.database);
  statements = [];
});
afterAll(async () => {
  await otherDatabase.close();
  await storage.close();
});

const select = <Row extends object>(sql: string, values: number[] = []) =>
  storage.server.query<Row>(sql, values);

const recordWith = (read: Pick<OpenSilences, 'readActive'>, entries: VerifiedEntry[]) =>
  createArchive(storage.database, {
    alertPolicy: () => createAlertPolicy(config),
    silences: read,
  }).recordEntries(entries, new Date(), reader);
const record = (...entries: VerifiedEntry[]) => recordWith(silences, entries);

const handlers = silenceRequests({ config: { current: () => config } });
let lastRequest = 0;
/** Carries out a request of jane. */
const request = (kind: 'silence' | 'end-silence', parameters: object, requestId = (lastRequest += 1)) =>
  handlers[kind]?.carryOut(
    { requestId, kind, parameters, author: 'jane', comment: 'why' } as OpenRequest,
    {
      finish: (result: RequestResult) => Promise.resolve(result),
      finishWithin: (work: (session: Database) => Promise<RequestResult>) =>
        storage.database.transaction((session) => work(session as Database)),
    } as unknown as RequestRun,
  );
const silence = async (matchers: object, seconds = 3_600): Promise<number> => {
  const result = await request('silence', { matchers, seconds });
  expect(result?.outcome).toBe('done');
  await silences.refresh();
  return lastRequest;
};
/** Its end is now. */
const letEnd = (silenceId: number) =>
  select(
    `UPDATE subscriber.silence SET starts_at = starts_at - interval '1 day', ends_at = clock_timestamp() WHERE silence_id = $1`,
    [silenceId],
  );

const deliveries = async (): Promise<string[]> => {
  const rows = await select<{ text: string }>(
    `SELECT concat_ws(' ', kind, sink, details->>'delivery', withheld) AS text FROM subscriber.delivery ORDER BY created_at, sink, kind`,
  );
  return rows.map(({ text }) => text);
};
const audit = (silenceId: number, isHandled = true) =>
  Promise.all(
    [storage.database, otherDatabase].map((database) =>
      auditSilence(database, silenceId, ['audit'], isHandled),
    ),
  );
const send = async () => (await sendDueMessages(storage.database, config, never, silences)).sent.length;

it('withholds alerts and notices while it lasts, and the end of what it hid', async () => {
  await record(marginEntry('told', 'WARNING', 1, { subject: 'OTHER/prudential' }));
  await silence({ types: ['settlementbus.margin.*'] });
  await record(
    marginEntry('e1', 'BREACHED', 1),
    problemEntry({ id: 'n1', type: 'payment.due', subject: 'WPGENCO/p', sequence: 1 }),
    marginEntry('e2', 'OK', 2),
    marginEntry('e3', 'OK', 2, { subject: 'OTHER/prudential' }),
  );
  expect(await deliveries()).toEqual([
    'alert desk',
    'alert desk silenced',
    'notice desk',
    'resolved desk silenced',
    'resolved desk',
  ]);
  expect(
    await select('SELECT sink, subject FROM subscriber.delivery_subject WHERE pending > 0 ORDER BY subject'),
  ).toEqual([
    { sink: 'desk', subject: 'OTHER/prudential' },
    { sink: 'desk', subject: 'WPGENCO/p' },
  ]);
});

it('reports once to the sinks of alerts.audit that it hides a critical problem, when it starts and when one opens', async () => {
  await record(
    marginEntry('e1', 'BREACHED', 1),
    marginEntry('w', 'WARNING', 1, { subject: 'OTHER/prudential' }),
  );
  const id = await silence({ problems: ['margin'] });
  await audit(id);
  await record(
    marginEntry('e2', 'BREACHED', 1, { subject: 'THIRD/prudential' }),
    marginEntry('e3', 'OK', 2, { subject: 'THIRD/prudential' }),
  );
  await audit(id);
  await audit(id);
  const reports = await select<{ problem: string; silence: object }>(
    `SELECT subject, details->'silence' AS silence FROM subscriber.delivery WHERE sink = 'audit' ORDER BY created_at`,
  );
  expect(reports).toMatchObject([
    { subject: 'WPGENCO/prudential', silence: { number: id, author: 'jane', comment: 'why' } },
    { subject: 'THIRD/prudential' },
  ]);
});

it('ends by itself: the open problem is reminded of once, and the sinks of alerts.audit learn of it', async () => {
  const id = await silence({ participants: ['WPGENCO'] });
  await record(marginEntry('e1', 'BREACHED', 1));
  await audit(id);
  expect(await send()).toBe(0);
  await letEnd(id);
  await audit(id, false);
  const other = sendDueMessages(otherDatabase, config, never, silences);
  expect((await send()) + (await other).sent.length).toBe(1);
  expect(await send()).toBe(0);
  await audit(id);
  await audit(id);
  expect(await deliveries()).toEqual([
    'alert desk silenced',
    'notice audit silence-began',
    'reminder desk reminder',
    'notice audit silence-ended',
  ]);
  expect(await silences.refresh()).toEqual([]);
});

it('a person can end it, once; a problem that is over is not reported again', async () => {
  const id = await silence({ participants: ['WPGENCO'] });
  await record(marginEntry('e1', 'BREACHED', 1));
  await audit(id);
  await record(marginEntry('e2', 'OK', 2));
  expect(await request('end-silence', { silenceId: id })).toMatchObject({ outcome: 'done' });
  expect(await request('end-silence', { silenceId: id })).toMatchObject({ outcome: 'refused' });
  await record(marginEntry('e3', 'BREACHED', 3));
  await audit(id);
  expect(await deliveries()).toEqual([
    'alert desk silenced',
    'notice audit silence-began',
    'resolved desk silenced',
    'alert desk',
  ]);
});

it('withholds the faults that it names, and no other fault', async () => {
  const fault = (reason: string) =>
    problemEntry({
      id: reason,
      type: 'bridge.alert.raised',
      subject: `WPGENCO/bridge/poller/${reason}`,
      sequence: 1,
      data: { app: 'poller', reason, severity: 'warning' },
    });
  await silence({ participants: ['WPGENCO'] });
  await silence({ reasons: ['clock-offset'] });
  await record(fault('clock-offset'), fault('poll-failing'));
  expect(await deliveries()).toEqual(['alert desk silenced', 'alert desk']);
});

it('refuses a request with a sentence', async () => {
  expect(await request('silence', { matchers: { participants: ['X'] }, seconds: 60 })).toMatchObject({
    outcome: 'refused',
    result: {
      reason: 'CONFIG_FILE of the subscriber has no participant X. Give the code of one that it has.',
    },
  });
  expect(await request('silence', { matchers: {}, seconds: 60 })).toMatchObject({ outcome: 'refused' });
  expect(await request('end-silence', { silenceId: 4711 })).toMatchObject({ outcome: 'refused' });
});

it('costs the archive no statement without an open silence', async () => {
  await silences.refresh();
  const session = {
    query: (sql: string) => {
      statements.push(sql);
      return Promise.resolve([]);
    },
  } as unknown as Database;
  await silences.readActive(session);
  expect(statements).toEqual([]);
  await silence({ participants: ['WPGENCO'] });
  await silences.readActive(session);
  expect(statements).toHaveLength(1);
});

const createKeeper = (database: Database, onRound = (): void => undefined): SilenceKeeper => {
  const log = createLogger({ name: 'subscriber', level: 'silent', format: 'json' });
  const source = { current: () => config };
  const open = new OpenSilences(database);
  const metrics = new SubscriberMetrics(new Metrics());
  const reminders = new ReminderScheduler(database, source, open, metrics, log);
  const send = (signal: AbortSignal) => {
    onRound();
    return reminders.send(signal);
  };
  return new SilenceKeeper(database, source, open, { send }, metrics, log);
};

it('concludes only when a transaction that read it as active has committed what it withheld', async () => {
  const id = await silence({ participants: ['WPGENCO'] });
  let isRead = false;
  let commit = (): void => undefined;
  const committing = new Promise<void>((resolve) => (commit = resolve));
  const readActive = async (session: SqlSession) => {
    const active = await silences.readActive(session);
    isRead = true;
    await committing;
    return active;
  };
  const recorded = recordWith({ readActive }, [marginEntry('e1', 'BREACHED', 1)]);
  await waitFor('the transaction', () => isRead);
  await letEnd(id);
  let rounds = 0;
  const keeper = createKeeper(otherDatabase, () => (rounds += 1));
  keeper.start(await storage.newTerm());
  keeper.wake();
  await waitFor('a round', async () => rounds >= 2 || (await silences.refresh()).length === 0);
  const open = await silences.refresh();
  commit();
  await recorded;
  keeper.wake();
  await waitFor('the end', async () => (await silences.refresh()).length === 0);
  await keeper.stop();
  expect(open).toMatchObject([{ silenceId: id }]);
  expect(await deliveries()).toContain('reminder desk reminder');
});

it('two replicas follow a silence from its start to its end, also when a notification is lost', async () => {
  const keepers = [storage.database, otherDatabase].map((database) => createKeeper(database));
  for (const keeper of keepers) keeper.start(await storage.newTerm());
  const wake = (): void => keepers.forEach((keeper) => keeper.wake());
  const id = await silence({ participants: ['WPGENCO'] });
  await record(marginEntry('e1', 'BREACHED', 1));
  wake();
  await waitFor('the report', async () => (await deliveries()).length === 2);
  await letEnd(id);
  wake();
  await waitFor('the end', async () => (await silences.refresh()).length === 0);
  for (const keeper of keepers) await keeper.stop();
  expect(await deliveries()).toEqual([
    'alert desk silenced',
    'notice audit silence-began',
    'reminder desk reminder',
    'notice audit silence-ended',
  ]);
});
