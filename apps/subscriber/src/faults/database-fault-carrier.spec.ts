import { loadOperatorConfig, type OperatorConfig } from '@ssb/config';
import { Database } from '@ssb/postgres';
import { ALL_PARTICIPANTS, type AlertTopic } from '@ssb/events';
import { CONFIRMATION_LIFETIME_MS, MAX_ALERTS_PER_REASON, SUMMARY_INTERVAL_MS } from '@ssb/faults';
import { createLogger } from '@ssb/platform';
import { waitFor } from '@ssb/testing';
import { createTestEnvironment } from '../../test/support/running-subscriber.js';
import { openSubscriberDatabase, type SubscriberDatabase } from '../../test/support/subscriber-database.js';
import { SCHEMA } from '@ssb/postgres/archive-schema';
import { DatabaseFaultCarrier } from './database-fault-carrier.js';

const START = new Date('2026-03-02T00:00:00.000Z');
const later = (ms: number): Date => new Date(START.getTime() + ms);
const HOUR_MS = 3_600_000;

const QUARANTINED: AlertTopic = {
  app: 'subscriber',
  reason: 'message-quarantined',
  participant: 'WPGENCO',
  channel: 'prudential.channels.bridge.apps.participant.iam.market',
  sender: 'did:ethr:0x1111111111111111111111111111111111111111',
};
const MISSING: AlertTopic = { app: 'subscriber', reason: 'heartbeat-missing', participant: 'WPGENCO' };
const once = (topic: AlertTopic, count = 1, detail = 'reason schema') => ({ topic, count, detail });

describe('DatabaseFaultCarrier', () => {
  let storage: SubscriberDatabase;
  let config: OperatorConfig;
  let carrier: DatabaseFaultCarrier;
  /** Another replica. */
  let otherDatabase: Database;
  let other: DatabaseFaultCarrier;

  beforeAll(async () => {
    const environment = createTestEnvironment('http://127.0.0.1:1', 'http://127.0.0.1:1', {
      webhookTypes: ['settlementbus.bridge.alert.*'],
    });
    config = loadOperatorConfig(environment.variables['CONFIG_FILE'] ?? '', {});
    environment.remove();
    const log = createLogger({
      name: 'subscriber',
      level: 'debug',
      format: 'json',
      stream: { write: () => undefined },
    });
    storage = await openSubscriberDatabase();
    otherDatabase = new Database({ url: storage.url, schema: SCHEMA });
    const createCarrier = (database: Database): DatabaseFaultCarrier =>
      new DatabaseFaultCarrier(
        database,
        { current: () => config },
        log,
        { OPERATIONS_WEBHOOK_URL: undefined },
        { countWithheld: () => undefined },
      );
    carrier = createCarrier(storage.database);
    other = createCarrier(otherDatabase);
  });
  beforeEach(() => storage.clear());
  afterAll(async () => {
    await otherDatabase.close();
    await storage.close();
  });

  interface Alert {
    type: string;
    local: boolean;
    sequence: string;
    data: { reason: string; count: number; since: string; detail?: string };
  }

  async function archivedAlerts(): Promise<Alert[]> {
    const rows = await storage.database.query<{ event: string }>(
      'SELECT event FROM archive ORDER BY archive_offset',
    );
    return rows.map(({ event }) => JSON.parse(event) as Alert);
  }
  const reported = async () => (await archivedAlerts()).map(({ data }) => data.count);

  const raiseAll = (senders: readonly string[]) =>
    storage.database.transaction((session) =>
      other.raiseWithin(
        session,
        senders.map((sender) => once({ ...QUARANTINED, sender })),
        START,
      ),
    );

  it('stores the first alert at once, marked local and unsigned, for the sinks of its rule', async () => {
    let notified = 0;
    const stop = await storage.database.listen('deliveries', {
      received: () => void (notified += 1),
      lost: () => undefined,
      regained: () => undefined,
    });
    await carrier.raise(once(QUARANTINED), START);
    const [row] = await storage.database.query('SELECT * FROM archive');
    expect(row).toMatchObject({
      type: 'settlementbus.bridge.alert.raised.v1',
      participant: 'WPGENCO',
      channel: 'local',
      sender: 'local',
      origin: 'local',
      signature: '',
      marks: ['local'],
    });
    const [alert] = await archivedAlerts();
    expect(alert).toMatchObject({
      local: true,
      data: { reason: 'message-quarantined', count: 1, since: START.toISOString(), detail: 'reason schema' },
    });
    expect(alert).not.toHaveProperty('proof');
    const pending = await storage.database.query('SELECT sink, kind FROM delivery ORDER BY sink');
    expect(pending).toEqual([
      { sink: 'log', kind: 'alert' },
      { sink: 'treasury', kind: 'alert' },
    ]);
    await waitFor('the notification', () => notified > 0);
    await stop();
    expect(notified).toBe(1);
  });

  it('opens a problem with the first alert, worsens it with a summary and resolves it at the end', async () => {
    await carrier.raise(once(MISSING), START);
    await carrier.raise(once(MISSING, 4), later(1_000));
    await carrier.sendSummaries(later(SUMMARY_INTERVAL_MS));
    await carrier.clear(MISSING, later(SUMMARY_INTERVAL_MS + CONFIRMATION_LIFETIME_MS));
    expect(
      await storage.database.query('SELECT kind, state, severity, worsened, worst_measure FROM problem'),
    ).toEqual([
      { kind: 'bridge-fault', state: 'resolved', severity: 'critical', worsened: 1, worst_measure: '5' },
    ]);
    expect(
      await storage.database.query(
        `SELECT kind, problem_state FROM delivery WHERE sink = 'treasury' ORDER BY archive_offset`,
      ),
    ).toEqual([
      { kind: 'alert', problem_state: 'open' },
      { kind: 'alert', problem_state: 'open' },
      { kind: 'resolved', problem_state: 'resolved' },
    ]);
  });

  it('counts further occurrences of all replicas and reports them together after the interval', async () => {
    await Promise.all([carrier.raise(once(QUARANTINED), START), other.raise(once(QUARANTINED), START)]);
    await Promise.all([
      carrier.raise(once(QUARANTINED, 3), later(1_000)),
      other.raise(once(QUARANTINED, 4), later(1_000)),
    ]);
    await carrier.sendSummaries(later(SUMMARY_INTERVAL_MS - 1));
    expect(await reported()).toEqual([1]);
    await Promise.all([
      carrier.sendSummaries(later(SUMMARY_INTERVAL_MS)),
      other.sendSummaries(later(SUMMARY_INTERVAL_MS)),
    ]);
    expect(await reported()).toEqual([1, 9]);
    const [first, summary] = await archivedAlerts();
    expect((summary?.sequence ?? '') > (first?.sequence ?? '')).toBe(true);
  });

  it('reports the end of a fault once, and the next one at once again', async () => {
    await carrier.clear(MISSING, START);
    await carrier.raise(once(MISSING), START);
    await Promise.all([carrier.clear(MISSING, later(10)), other.clear(MISSING, later(10))]);
    await carrier.raise(once(MISSING), later(20));
    const alerts = await archivedAlerts();
    expect(alerts.map(({ type }) => type.split('.')[3])).toEqual(['raised', 'cleared', 'raised']);
    expect(alerts.map(({ data }) => data.since)).toEqual(
      [START, START, later(20)].map((at) => at.toISOString()),
    );
    expect(alerts.every(({ local }) => local)).toBe(true);
  });

  it('keeps a fault that another replica confirms, and ends it when that one is gone', async () => {
    const kinds = async () => (await archivedAlerts()).map(({ type }) => type.split('.')[3]);
    await carrier.raise(once(MISSING), START);
    await carrier.raise(once(MISSING, 0), later(15_000));
    await other.clear(MISSING, later(CONFIRMATION_LIFETIME_MS));
    expect(await kinds()).toEqual(['raised']);
    await other.clear(MISSING, later(15_000 + CONFIRMATION_LIFETIME_MS));
    await other.clear(MISSING, later(HOUR_MS));
    expect(await kinds()).toEqual(['raised', 'cleared']);
    await carrier.raise(once(MISSING), later(HOUR_MS));
    await carrier.withdraw(MISSING, later(HOUR_MS));
    await other.clear(MISSING, later(HOUR_MS));
    expect(await kinds()).toEqual(['raised', 'cleared', 'raised', 'cleared']);
  });

  it('sends a bounded number of alerts an hour, says how many wait, and sends the others afterwards', async () => {
    const senders = Array.from({ length: MAX_ALERTS_PER_REASON + 5 }, (_, at) => `did:ethr:${at}`);
    await raiseAll(senders);
    await carrier.sendSummaries(later(HOUR_MS - 1));
    const reasons = async () => (await archivedAlerts()).map(({ data }) => data.reason);
    const held = [
      ...Array<string>(MAX_ALERTS_PER_REASON).fill(QUARANTINED.reason),
      ...Array<string>(2).fill('alerts-held-back'),
    ];
    expect(await reasons()).toEqual(held);
    expect((await archivedAlerts()).at(-1)?.data.count).toBe(5);
    await carrier.sendSummaries(later(HOUR_MS));
    expect(await reasons()).toEqual([
      ...held,
      'alerts-held-back',
      ...Array<string>(5).fill(QUARANTINED.reason),
    ]);
  });

  it('records a report of waiting alerts although none waits any more, so that it is not repeated at each look', async () => {
    await raiseAll(Array.from({ length: MAX_ALERTS_PER_REASON + 1 }, (_, at) => `did:ethr:${at}`));
    await storage.database.query('DELETE FROM fault');
    const reports = async () =>
      storage.database.query(`SELECT (sent->>'alerts-held-back')::int AS reports FROM report_allowance`);
    expect(await reports()).toEqual([{ reports: 1 }]);
    for (const ms of [60_000, 75_000]) await carrier.sendSummaries(later(ms));
    expect(await reports()).toEqual([{ reports: 2 }]);
    expect(await archivedAlerts()).toHaveLength(MAX_ALERTS_PER_REASON + 1);
  });

  it('counts a repeated call once, and a lasting fault without a new occurrence not at all', async () => {
    const call = { ...once(MISSING), id: 'call-1' };
    await carrier.raise(call, START);
    await carrier.raise(call, later(10));
    await other.raise(once(MISSING, 0), later(20));
    const [fault] = await storage.database.query('SELECT count FROM fault');
    expect(fault).toEqual({ count: 1 });
  });

  it('keeps nothing of a transaction that is rolled back', async () => {
    const failing = storage.database.transaction(async (session) => {
      await carrier.raiseWithin(session, [once(QUARANTINED, 2), once(MISSING)], START);
      throw new Error('quarantine failed');
    });
    await expect(failing).rejects.toThrow('quarantine failed');
    expect(await archivedAlerts()).toEqual([]);
    await storage.database.transaction((session) =>
      carrier.raiseWithin(session, [once(QUARANTINED, 2), once(QUARANTINED, 3), once(MISSING)], START),
    );
    // The other occurrences of the same fault wait for its summary.
    expect(await reported()).toEqual([2, 1]);
  });

  it('deletes faults a day after their end, and keeps those that last', async () => {
    await carrier.raise(once(QUARANTINED), START);
    await carrier.raise(once(MISSING), START);
    await carrier.sendSummaries(later(25 * HOUR_MS));
    const rows = await storage.database.query('SELECT reason FROM fault');
    expect(rows).toEqual([{ reason: 'heartbeat-missing' }]);
    await carrier.clear(MISSING, later(26 * HOUR_MS));
    expect((await archivedAlerts()).at(-1)?.type).toBe('settlementbus.bridge.alert.cleared.v1');
  });

  it('stores text from a message that PostgreSQL refuses', async () => {
    const hostile = {
      ...QUARANTINED,
      participant: ALL_PARTICIPANTS,
      sender: `did:\u0000\uD800${'x'.repeat(5_000)}`,
    };
    await carrier.raise(once(hostile, 1, `\u0000${'y'.repeat(5_000)}`), START);
    expect(await archivedAlerts()).toHaveLength(1);
  });
});
