import type { ServerResponse } from 'node:http';
import type { OperatorConfig } from '@ssb/config';
import { DatabaseUnavailableError } from '@ssb/postgres';
import { createLogger, Metrics } from '@ssb/platform';
import { waitFor } from '@ssb/testing';
import { verifiedEntry, type VerifiedEntryOptions } from '../../test/support/archive-entries.js';
import type { ReaderToken } from '../replica/reader-lease.js';
import { DeliveryOutbox } from './outbox/delivery-outbox.js';
import { OpenProblems } from './outbox/open-problems.js';
import { ParkedDeliveries } from './outbox/parked-deliveries.js';
import { SinkStates } from './outbox/sink-states.js';
import {
  createArchive,
  openSubscriberDatabase,
  readDepth,
  type SubscriberDatabase,
  type TestTerm,
} from '../../test/support/subscriber-database.js';
import { SubscriberMetrics } from '../subscriber-metrics.js';
import { SinkFactory } from './sinks/sink-factory.js';
import { DeliveryDispatcher } from './delivery-dispatcher.js';
import type { StoredEvents } from './deliverer.js';
import { startHttpSink, type HttpSink } from '@ssb/testing/sinks';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

const NOTICE = 'settlementbus.statement.published.v1' as const;
const notice = (at: number) => ({ id: `n${at}`, type: NOTICE });

/** The sinks of these tests have no certificates. */
const noConnections = { openOptional: () => assertNever(), close: () => Promise.resolve() };
const assertNever = (): never => {
  throw new Error('no certificate is expected');
};

/** Longer than an attempt takes on a busy machine. */
const DRAIN_MS = 20_000;

/** The events of these tests are not signed. */
const storedEvents: StoredEvents = { verify: () => ({ ok: true }), onUnverified: () => undefined };

describe('DeliveryDispatcher', () => {
  let storage: SubscriberDatabase;
  let outbox: DeliveryOutbox;
  let reader: ReaderToken;
  let term: TestTerm;
  let server: HttpSink;
  let dispatcher: DeliveryDispatcher;
  let opened: DeliveryDispatcher[];
  let lines: Record<string, unknown>[];
  /** Statuses to respond with, by body, in order; then 204. */
  let responses: Map<string, number[]>;
  /** Responds instead of `responses` and `held`. */
  let respond: ((response: ServerResponse) => void) | undefined;
  let parked: ParkedDeliveries;
  /** Condition that the response to a body waits for. */
  let held: Map<string, () => boolean>;

  beforeAll(async () => {
    storage = await openSubscriberDatabase();
    outbox = new DeliveryOutbox(storage.database);
    parked = new ParkedDeliveries(storage.database);
  });
  afterAll(() => storage.close());

  beforeEach(async () => {
    await storage.clear();
    reader = await storage.newReader();
    term = await storage.newTerm();
    opened = [];
    lines = [];
    responses = new Map();
    held = new Map();
    respond = undefined;
    server = await startHttpSink(({ body }, response) => {
      if (respond !== undefined) return respond(response);
      const end = () => response.writeHead(responses.get(body)?.shift() ?? 204).end();
      void waitFor(`the condition of ${body}`, held.get(body) ?? (() => true)).then(end, () =>
        response.destroy(),
      );
    });
    dispatcher = createDispatcher();
  });
  afterEach(async () => {
    for (const each of opened) {
      await each.stop(DRAIN_MS);
      await each.close();
    }
    await server.stop();
  });

  const log = createLogger({
    name: 'test',
    level: 'info',
    format: 'json',
    stream: { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
  });

  /** A dispatcher whose term has begun. */
  function createDispatcher(
    change: {
      concurrency?: number;
      url?: string;
      term?: TestTerm;
      outbox?: DeliveryOutbox;
      metrics?: SubscriberMetrics;
    } = {},
  ): DeliveryDispatcher {
    const { concurrency = 8, url = server.url } = change;
    const settings = {
      ALERT_CONCURRENCY: concurrency,
      ALERT_RESPONSE_LIMIT_BYTES: 1_000,
      ALERT_RETRY_BASE_MS: 20,
      ALERT_RETRY_CAP_MS: 40,
      ALERT_TIMEOUT_MS: 20_000,
      OPERATIONS_WEBHOOK_URL: undefined,
      OPERATIONS_WEBHOOK_SECRET: undefined,
      CONFIG_FILE: 'bridge.yaml',
      TLS_RELOAD_INTERVAL_MS: 10_000,
    };
    const alerts: OperatorConfig['alerts'] = {
      unattended: true,
      sinks: [
        { name: 'log', kind: 'log' },
        { name: 'treasury', kind: 'webhook', url, secret: SECRET },
      ],
      rules: [],
    };
    const created = new DeliveryDispatcher(
      settings,
      { current: () => ({ alerts }) },
      new SinkFactory(settings, {}, noConnections, log),
      change.outbox ?? outbox,
      parked,
      new SinkStates(storage.database),
      new OpenProblems(storage.database),
      storedEvents,
      change.metrics ?? new SubscriberMetrics(new Metrics()),
      log,
    );
    created.start(change.term ?? term);
    opened.push(created);
    return created;
  }

  async function commit(...alerts: VerifiedEntryOptions[]): Promise<void> {
    const entries = alerts.map((alert) => verifiedEntry({ sinks: ['treasury'], text: alert.id, ...alert }));
    await createArchive(storage.database).recordEntries(entries, new Date(), reader);
  }

  const drained = () =>
    waitFor('draining the outbox', async () => (await readDepth(storage.database)).size === 0);
  const bodies = () => server.requests.map(({ body }) => body);
  /** Makes the next probe of a failing sink due, whose pause grows up to 14 s. */
  async function probe(...replicas: readonly DeliveryDispatcher[]): Promise<void> {
    await storage.database.query('UPDATE sink_state SET probe_at = clock_timestamp()');
    for (const each of replicas) each.wake();
  }

  it('delivers committed alerts at once to every sink, and keeps those of a sink that is no longer configured', async () => {
    await commit({ id: 'e1', sinks: ['log', 'treasury', 'former'], alert: true });
    dispatcher.wake();
    await waitFor('the deliveries', async () => (await readDepth(storage.database)).size === 1);
    expect(await readDepth(storage.database)).toEqual(new Map([['former', 1]]));
    expect(bodies()).toEqual(['e1']);
    const delivered = lines.filter(({ step }) => step === 'delivered');
    expect(delivered.map(({ sink }) => sink).sort()).toEqual(['log', 'treasury']);
    expect(delivered[0]).toMatchObject({
      level: 'info',
      msg: 'delivery succeeded',
      eventId: 'e1',
      eventType: 'settlementbus.margin.breached.v1',
      deliveryKind: 'alert',
      attempt: 1,
      detectedAt: '2026-03-02T00:00:01.250Z',
      factTime: '2026-03-02T08:00:00+08:00',
    });
  });

  it('repeats a failed attempt with the same webhook-id until the sink accepts it', async () => {
    responses.set('e1', [503, 429]);
    await commit({ id: 'e1' });
    dispatcher.wake();
    await drained();
    expect(server.requests.map(({ headers }) => headers['webhook-id'])).toEqual(Array(3).fill('e1'));
    expect(lines.find(({ step }) => step === 'delivered')).toMatchObject({ attempt: 3 });
    const [row] = await storage.database.query('SELECT attempts, last_outcome FROM delivery');
    expect(row).toEqual({ attempts: 3, last_outcome: 'delivered, status 204' });
  });

  it('keeps the order of a subject after a failure and does not delay other subjects', async () => {
    responses.set('s1', [503, 503]);
    held.set('s1', () => bodies().includes('t1'));
    await commit(
      { id: 's2', subject: 's', sequence: 2 },
      { id: 's1', subject: 's', sequence: 1 },
      { id: 't1', subject: 't', sequence: 1 },
    );
    dispatcher.wake();
    await drained();
    expect(bodies().filter((body) => body.startsWith('s'))).toEqual(['s1', 's1', 's1', 's2']);
  });

  it('parks what the sink refuses, delivers the breach of the subject at once, and then repeats the refused one', async () => {
    responses.set('warned', [400]);
    await commit({ id: 'warned', subject: 's', sequence: 1, type: 'settlementbus.margin.warning.v1' });
    dispatcher.wake();
    await waitFor('the refusal', async () => (await parked.summarise()).length === 1);
    await commit({ id: 'breached', subject: 's', sequence: 2 });
    dispatcher.wake();
    await waitFor('the repeated delivery', async () => (await parked.summarise()).length === 0);
    expect(bodies()).toEqual(['warned', 'breached', 'warned']);
    expect(lines.filter(({ msg }) => msg === 'delivery refused')).toHaveLength(1);
  });

  it('delivers alerts and breaches while a slow receiver has many notices', async () => {
    const isDelivered = () => bodies().includes('breach') && bodies().includes('alert');
    const notices = Array.from({ length: 30 }, (_, at) => notice(at));
    for (const { id } of notices) held.set(id, isDelivered);
    await commit(...notices);
    dispatcher.wake();
    await waitFor('all places of notices', () => server.requests.length === 6);
    await commit({ id: 'alert', type: NOTICE, alert: true });
    await commit({ id: 'breach' });
    dispatcher.wake();
    await waitFor('the alerts', isDelivered);
    await drained();
    expect(
      bodies()
        .slice(0, 6)
        .every((body) => body.startsWith('n')),
    ).toBe(true);
    expect(bodies().slice(6, 8).sort()).toEqual(['alert', 'breach']);
  });

  it('probes a failing sink with one delivery at a time, and delivers everything once it accepts, the breach first', async () => {
    await commit(...Array.from({ length: 40 }, (_, at) => notice(at)));
    let failing = true;
    let inFlight = 0;
    let mostInFlight = 0;
    respond = (response) => {
      mostInFlight = Math.max(mostInFlight, (inFlight += 1));
      const status = failing ? 503 : 204;
      setTimeout(() => {
        inFlight -= 1;
        response.writeHead(status).end();
      }, 20);
    };
    const states = new SinkStates(storage.database);
    const second = createDispatcher({ term: await storage.newTerm() });
    for (const each of [dispatcher, second]) each.wake();
    await waitFor('the failure', async () => (await states.listFailing()).length === 1);
    // Both have released what they claimed before the failure was known.
    await waitFor('the end of the first attempts', async () => {
      const claimed = await storage.database.query(
        'SELECT subject FROM delivery_subject WHERE claimed_by IS NOT NULL',
      );
      return claimed.length === 0 && inFlight === 0;
    });
    await commit({ id: 'breach' });
    for (const each of [dispatcher, second]) each.wake();
    await waitFor('the breach as a probe', () => bodies().includes('breach'));
    await waitFor('the end of the probe', () => inFlight === 0);
    // Counted after the pause before a probe, in which a claim that began before the failure has ended.
    mostInFlight = 0;
    const before = server.requests.length;
    await commit({ id: 'another breach' });
    for (const each of [dispatcher, second]) each.wake();
    await waitFor('another probe', () => bodies().includes('another breach'));
    expect([mostInFlight, server.requests.length - before < 8]).toEqual([1, true]);
    failing = false;
    const recovery = server.requests.length;
    await probe(dispatcher, second);
    await drained();
    expect(await states.listFailing()).toEqual([]);
    // Both replicas fill their places at once.
    expect(bodies().slice(recovery, recovery + 18)).toContain('breach');
    expect(lines.some(({ msg }) => msg === 'sink accepts again')).toBe(true);
  });

  it('waits at a stop for the attempt in flight', async () => {
    await dispatcher.stop(0);
    const slow = await startHttpSink((_, response) => {
      setTimeout(() => response.writeHead(204).end(), 100);
    });
    const other = createDispatcher({ url: slow.url });
    await commit({ id: 'e1' });
    other.wake();
    await waitFor('the request', () => slow.requests.length === 1);
    await other.stop(DRAIN_MS);
    await slow.stop();
    expect(await readDepth(storage.database)).toEqual(new Map());
  });

  it('shares the subjects with another replica: each alert is attempted once, in the order of its subject', async () => {
    const alerts = Array.from({ length: 20 }, (_, at) => ({
      id: `s${at % 10}-${Math.floor(at / 10)}`,
      subject: `s${at % 10}`,
      sequence: Math.floor(at / 10),
    }));
    const other = createDispatcher({ term: await storage.newTerm(), concurrency: 2 });
    await commit(...alerts);
    for (const replica of [dispatcher, other]) replica.wake();
    await drained();
    expect(bodies()).toHaveLength(alerts.length);
    for (let subject = 0; subject < 10; subject += 1) {
      const own = bodies().filter((body) => body.startsWith(`s${subject}-`));
      expect(own).toEqual(alerts.map(({ id }) => id).filter((id) => id.startsWith(`s${subject}-`)));
    }
  });

  it('shows a sink as failing until another replica delivers, and not because of an aborted attempt', async () => {
    const registered = new Metrics();
    const metrics = new SubscriberMetrics(registered);
    metrics.observe({
      database: storage.database,
      parked,
      log,
      sinks: () => ['treasury'],
      session: () => undefined,
    });
    const failingSeconds = async (): Promise<number> => {
      const text = await registered.registry.metrics();
      return Number(
        /^settlement_bridge_subscriber_sink_failing_seconds\{sink="treasury"\} (\S+)$/m.exec(text)?.[1],
      );
    };
    responses.set('e1', Array<number>(10_000).fill(503));
    await commit({ id: 'e1' });
    const failing = createDispatcher({ metrics });
    failing.wake();
    await waitFor('a failing sink', async () => (await failingSeconds()) > 0);
    await failing.stop(DRAIN_MS);
    responses.clear();
    await waitFor('the repeated delivery', async () => {
      await probe(dispatcher);
      return (await readDepth(storage.database)).size === 0;
    });
    await waitFor('the end of the failure', async () => (await failingSeconds()) === 0);
    let mayRespond = false;
    held.set('e2', () => mayRespond);
    await commit({ id: 'e2' });
    const aborted = createDispatcher({ metrics });
    aborted.wake();
    await waitFor('the attempt', () => bodies().includes('e2'));
    await aborted.stop(0);
    mayRespond = true;
    expect([(await readDepth(storage.database)).get('treasury'), await failingSeconds()]).toEqual([1, 0]);
  });

  it('attempts each alert once and in order when responses of the database are lost after the commit', async () => {
    let responses = 0;
    const lossy: DeliveryOutbox = Object.create(outbox, {
      recordResults: {
        value: async (...given: Parameters<DeliveryOutbox['recordResults']>) => {
          await outbox.recordResults(...given);
          if ((responses += 1) % 2 === 1) throw new DatabaseUnavailableError('the response was lost');
        },
      },
    }) as DeliveryOutbox;
    await commit(...Array.from({ length: 8 }, (_, at) => ({ id: `e${at}`, subject: 's', sequence: at })));
    const both = [
      createDispatcher({ outbox: lossy }),
      createDispatcher({ outbox: lossy, term: await storage.newTerm() }),
    ];
    for (const each of both) each.wake();
    await waitFor('draining the outbox', async () => {
      // Commits or the shutdown of another replica do the same.
      for (const each of both) each.wake();
      return (await readDepth(storage.database)).size === 0;
    });
    expect(bodies()).toEqual(Array.from({ length: 8 }, (_, at) => `e${at}`));
  });

  it('stops a subject at the first outcome that the database refuses', async () => {
    await commit(...Array.from({ length: 6 }, (_, at) => ({ id: `e${at}`, subject: 's', sequence: at })));
    let lost = 0;
    Object.assign(term, { reportLost: () => (lost += 1) });
    // The second attempt is in flight when the outcome of the first is refused.
    held.set('e1', () => lost > 0);
    held.set('e0', () => deleted);
    let deleted = false;
    dispatcher.wake();
    await waitFor('the attempt', () => server.requests.length === 1);
    await storage.database.query('DELETE FROM replica WHERE fencing_token = $1', [term.token]);
    deleted = true;
    await waitFor('the refusal', () => lost > 0);
    await dispatcher.stop(DRAIN_MS);
    expect(bodies().slice(0, 2)).toEqual(['e0', 'e1'].slice(0, bodies().length));
    expect(bodies().length).toBeLessThanOrEqual(2);
    expect(await readDepth(storage.database)).toEqual(new Map([['treasury', 6]]));
  });

  it('starts no attempt and records no outcome after its term; another replica repeats what was in flight', async () => {
    let mayRespond = false;
    held.set('e1', () => mayRespond);
    await commit({ id: 'e1', subject: 's', sequence: 1 }, { id: 'e2', subject: 's', sequence: 2 });
    dispatcher.wake();
    await waitFor('the attempt', () => server.requests.length === 1);
    // A suspended process: the term has ended, but the process does not know it yet.
    Object.assign(term, { isActive: () => false });
    await storage.database.query('DELETE FROM replica WHERE fencing_token = $1', [term.token]);
    mayRespond = true;
    await waitFor('the response', () => lines.some(({ step }) => step === 'delivered'));
    await dispatcher.stop(DRAIN_MS);
    expect(bodies()).toEqual(['e1']);
    const [row] = await storage.database.query(
      `SELECT attempts, last_outcome FROM delivery WHERE event_id = 'e1'`,
    );
    expect(row).toEqual({ attempts: 0, last_outcome: null });
    const other = createDispatcher({ term: await storage.newTerm() });
    other.wake();
    await drained();
    expect(bodies()).toEqual(['e1', 'e1', 'e2']);
    expect(server.requests.map(({ headers }) => headers['webhook-id'])).toEqual(['e1', 'e1', 'e2']);
  });
});
