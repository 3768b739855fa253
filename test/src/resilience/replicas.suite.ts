import { waitFor } from '@ssb/testing';
import type { AppProcess, LogLine } from '@ssb/tools';
import { HeldReceiver, type HeldRequest } from '../harness/held-receiver.js';
import type { Fact } from '../harness/market.js';
import { suspend } from '../harness/suspend.js';
import { startOtherClient } from './other-client.js';
import { running } from './shared-system.js';

const ALERT_CONCURRENCY = 4;
/** More subjects than one replica claims at a time (twice ALERT_CONCURRENCY). */
const BURST = 12;
/** Margin changes of one subject. */
const MARGIN_CHANGES = 8;
/** Three times the duration of a lease. */
const TAKEOVER_TIMEOUT_MS = 30_000;
type ReplicaName = 'first' | 'second';
const REPLICA_NAMES: readonly ReplicaName[] = ['first', 'second'];

let receiver: HeldReceiver;
let replicas: Record<ReplicaName, AppProcess>;
async function waitForDeliveries(facts: readonly Fact[]): Promise<void> {
  const findMissing = (): Fact[] => {
    const seen = new Set(receiver.requests.map(({ subject }) => subject));
    return facts.filter(({ subject }) => !seen.has(subject));
  };
  await waitFor(
    () => `the deliveries of ${facts.length} facts, ${findMissing().length} of which are missing`,
    () => findMissing().length === 0,
  );
}

/** The webhook ids of all requests about these facts. The end of their runs, which is an event too, can be delivered again. */
function findDeliveries(facts: readonly Fact[]): string[] {
  const subjects = new Set(facts.map(({ subject }) => subject));
  return receiver.requests.filter(({ subject }) => subjects.has(subject)).map(({ webhookId }) => webhookId);
}

function countMessages(replica: ReplicaName, msg: string): number {
  return running.linesOf(replica).filter((line) => line.msg === msg).length;
}

/** Returns when the replica knows that it holds a lease, which is after the database knows it. */
async function startReplica(replica: ReplicaName): Promise<void> {
  const leaseCount = countMessages(replica, 'replica lease acquired');
  await replicas[replica].start();
  await waitFor(
    `a lease of the ${replica} replica`,
    () => countMessages(replica, 'replica lease acquired') > leaseCount,
  );
}

/** The replica that reads the channels, according to the database. */
async function findReader(): Promise<ReplicaName> {
  return waitFor('the replica that reads the channels', readReader);
}

async function readReader(): Promise<ReplicaName | undefined> {
  const [row] = await running.database.query<{ name: ReplicaName }>(
    `SELECT replica.name FROM subscriber.reader_lease JOIN subscriber.replica ON holder = replica.fencing_token`,
  );
  return row?.name;
}

/** Names of the replicas that hold a replica lease. */
async function findLeaseHolders(): Promise<string[]> {
  const rows = await running.database.query<{ name: string }>('SELECT name FROM subscriber.replica');
  return rows.map(({ name }) => name);
}

/** The replicas that deliver alerts of these subjects at the moment. */
async function findDeliveringReplicas(subject = '%'): Promise<ReplicaName[]> {
  const rows = await running.database.query<{ name: ReplicaName }>(
    `SELECT DISTINCT replica.name FROM subscriber.delivery_subject JOIN subscriber.replica ON claimed_by = fencing_token
     WHERE sink = 'treasury' AND subject LIKE $1`,
    [subject],
  );
  return rows.map(({ name }) => name);
}

const otherReplica = (replica: ReplicaName): ReplicaName => (replica === 'first' ? 'second' : 'first');

describe('two replicas of the subscriber', () => {
  /** Replaces the subscriber by two replicas with the default lease duration. */
  beforeAll(async () => {
    receiver = await HeldReceiver.start();
    await running.system.process('subscriber').stop();
    const create = (name: ReplicaName, PORT: number): Promise<AppProcess> =>
      running.createReplica('subscriber', name, {
        REPLICA_NAME: name,
        PORT: String(PORT),
        WEBHOOK_URL: receiver.url,
        ALERT_CONCURRENCY: String(ALERT_CONCURRENCY),
        // Held attempts last until the test responds.
        ALERT_TIMEOUT_MS: '120000',
      });
    replicas = {
      first: await create('first', running.system.plan.ports.subscriber),
      second: await create('second', 0),
    };
    await Promise.all(REPLICA_NAMES.map(startReplica));
  });

  afterAll(async () => {
    await Promise.all([replicas?.first.stop(), replicas?.second.stop()]);
    await receiver?.stop();
  });

  it('both deliver alerts, each alert once, while one of them reads the channels', async () => {
    const reader = await findReader();
    await waitFor('both replicas', async () => (await findLeaseHolders()).length === 2);
    receiver.holds = true;
    const facts = await publishBurst();
    // The burst has more subjects than one replica claims at a time.
    await waitFor('both replicas to deliver', async () => (await findDeliveringReplicas()).length === 2);
    receiver.release();
    await waitForDeliveries(facts);
    const ids = receiver.requests.map(({ webhookId }) => webhookId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const replica of REPLICA_NAMES)
      await waitFor(`an alert of the ${replica} replica`, () =>
        running.linesOf(replica).some(({ step }) => step === 'delivered'),
      );
    expect(countMessages(reader, 'gateway stream connected')).toBe(1);
    expect(countMessages(otherReplica(reader), 'gateway stream connected')).toBe(0);
  });

  it('keep the order of a subject', async () => {
    const before = receiver.requests.length;
    const doneBefore = await countDoneAlerts('%/prudential');
    for (let change = 0; change < MARGIN_CHANGES; change += 1)
      await publishMargin(change % 2 === 0 ? '-1.00' : '900000.00');
    // A restored margin that still waits is replaced by the next change, a breach is not.
    await waitFor(
      'every change of the margin',
      async () => (await countDoneAlerts('%/prudential')) === doneBefore + MARGIN_CHANGES,
    );
    const events = receiver.requests
      .slice(before)
      .filter(({ subject }) => subject.endsWith('/prudential'))
      .map(({ body }) => JSON.parse(body) as { type: string; sequence: string });
    expect(events.filter(({ type }) => type.includes('.breached.'))).toHaveLength(MARGIN_CHANGES / 2);
    const sequences = events.map(({ sequence }) => sequence);
    expect(sequences).toEqual([...sequences].sort());
  });

  it('take over from each other: every event arrives when the reading replica is killed', async () => {
    const reader = await findReader();
    const before = receiver.requests.length;
    const facts = await publishBurst();
    await waitFor('more requests', () => receiver.requests.length >= before + 3);
    await replicas[reader].kill();
    const takesOver = async (): Promise<boolean> => (await readReader()) === otherReplica(reader);
    const takeover = waitFor('the other replica', takesOver, TAKEOVER_TIMEOUT_MS);
    // The killed replica cannot read these. The earlier ones it may have read already.
    const [later] = await Promise.all([publishBurst(), takeover]);
    await waitForDeliveries([...facts, ...later]);
    expect(await findReader()).toBe(otherReplica(reader));
    const bodyById = new Map(receiver.requests.map(({ webhookId, body }) => [webhookId, body] as const));
    for (const { webhookId, body } of receiver.requests) expect(body).toBe(bodyById.get(webhookId));
    await startReplica(reader);
  });

  it('hand over the channels when the reading replica stops, without waiting for the end of its lease', async () => {
    const reader = await findReader();
    await waitFor('both replicas', async () => (await findLeaseHolders()).length === 2);
    const facts = await publishBurst();
    await replicas[reader].stop();
    expect(await findLeaseHolders()).toEqual([otherReplica(reader)]);
    await waitForDeliveries(facts);
    expect(await findReader()).toBe(otherReplica(reader));
    await startReplica(reader);
  });

  it('release their leases while the database does not respond, serve their metrics, and continue when it responds', async () => {
    await waitFor(
      'both replicas and no pending alert',
      async () => (await findLeaseHolders()).length === 2 && (await countPendingAlerts()) === 0,
    );
    const countEndedLeases = (replica: ReplicaName): number => countMessages(replica, 'replica lease ended');
    const endedBefore = { first: countEndedLeases('first'), second: countEndedLeases('second') };
    const resume = suspend(running.database.pid);
    try {
      for (const replica of REPLICA_NAMES)
        await waitFor(
          `the ${replica} replica to lose its lease`,
          () => countEndedLeases(replica) > endedBefore[replica],
        );
      const response = await fetch(`http://127.0.0.1:${running.system.plan.ports.subscriber}/metrics`);
      expect(response.status).toBe(200);
      expect(await response.text()).toMatch(/^settlement_bridge_subscriber_reader 0$/m);
    } finally {
      resume();
    }
    const facts = await publishBurst();
    await waitForDeliveries(facts);
    const ids = findDeliveries(facts);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('a reading replica that was suspended leaves the channels to the other replica when it continues', async () => {
    const reader = await findReader();
    await waitFor('the last pending alert', async () => (await countPendingAlerts()) === 0);
    const leaseCount = countMessages(reader, 'replica lease acquired');
    const connectionCount = countMessages(reader, 'gateway stream connected');
    const pid = replicas[reader].pid ?? NaN;
    process.kill(pid, 'SIGSTOP');
    let facts: readonly Fact[];
    try {
      facts = await publishBurst();
      await waitForDeliveries(facts);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    await waitFor(
      'another lease of the reader',
      () => countMessages(reader, 'replica lease acquired') > leaseCount,
    );
    const later = await publishBurst();
    await waitForDeliveries(later);
    expect(await findReader()).toBe(otherReplica(reader));
    expect(countMessages(reader, 'gateway stream connected')).toBe(connectionCount);
    const ids = findDeliveries([...facts, ...later]);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('a replica that was suspended beyond its lease starts no attempt and records no outcome; the other repeats the attempt in flight', async () => {
    const before = receiver.requests.length;
    // Events of other subjects are delivered at the same time.
    const findNew = (): readonly HeldRequest[] =>
      receiver.requests.slice(before).filter(({ subject }) => subject.endsWith('/prudential'));
    const findNewIds = (): string[] => findNew().map(({ webhookId }) => webhookId);
    receiver.holds = true;
    await running.market.publishMargin('-1.00');
    await waitFor('one request', () => findNewIds().length === 1);
    // These alerts wait for the one in flight and are then claimed together.
    for (const margin of ['900000.00', '-2.00', '900001.00']) await publishMargin(margin);
    await waitFor('four pending alerts', async () => (await countPendingAlerts('%/prudential')) === 4);
    findNew()[0]?.respond();
    await waitFor('two requests', () => findNewIds().length === 2);
    // The other replica can wait for a response too, for another subject. Suspended instead, it leaves this attempt to time out.
    const [suspended = 'first'] = await findDeliveringReplicas('%/prudential');
    const pid = replicas[suspended].pid ?? NaN;
    const leaseCount = countMessages(suspended, 'replica lease acquired');
    process.kill(pid, 'SIGSTOP');
    try {
      receiver.holds = false;
      for (const request of receiver.requests) if (request !== findNew()[1]) request.respond();
      await waitFor('the last pending alert', async () => (await countPendingAlerts()) === 0);
      // The suspended replica finds this response when it continues.
      findNew()[1]?.respond();
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    await waitFor(
      'another lease of the suspended replica',
      () => countMessages(suspended, 'replica lease acquired') > leaseCount,
    );
    const [first, second, ...rest] = findNewIds();
    expect(rest[0]).toBe(second);
    expect(findNewIds()).toEqual([first, second, ...rest]);
    // The last event replaced the first restored margin, and the breach between them went first.
    expect(rest).toHaveLength(2);
    expect(new Set(rest).size).toBe(2);
    expect(findNew()[2]?.body).toBe(findNew()[1]?.body);
    const [row] = await running.database.query(
      `SELECT attempts, last_outcome FROM subscriber.delivery WHERE event_id = $1 AND sink = 'treasury'`,
      [second],
    );
    expect(row).toEqual({ attempts: 1, last_outcome: 'delivered, status 204' });
  });

  it('report another client with their client id, but not each other, and read from the log what it acknowledged', async () => {
    const countReports = (): number =>
      REPLICA_NAMES.flatMap((name) => running.linesOf(name)).filter(
        ({ msg, reason }) => msg === 'fault reported' && reason === 'client-superseded',
      ).length;
    await waitFor('the last pending alert', async () => (await countPendingAlerts()) === 0);
    expect(countReports()).toBe(0);
    const acknowledged: string[] = [];
    const otherClient = startOtherClient((payload) => acknowledged.push(payload));
    try {
      await waitFor('the report', () => countReports() > 0);
      const facts = await publishBurst();
      await waitFor('an acknowledgement by the other client', () =>
        facts.some(({ subject }) => acknowledged.some((payload) => payload.includes(subject))),
      );
      await waitForDeliveries(facts);
    } finally {
      await otherClient.stop();
    }
  });
});

/** Publishes a burst, and waits until the poller has detected it. */
async function publishBurst(): Promise<readonly Fact[]> {
  const facts = await running.market.publishStatements(BURST);
  await running.waitForDetection(facts);
  return facts;
}

/** Publishes a margin of another level than the last, and waits until the poller has detected it. */
async function publishMargin(margin: string): Promise<void> {
  // Reports about the subscriber are queued too.
  const isChange = ({ step, eventType }: LogLine): boolean =>
    step === 'queued' && String(eventType).startsWith('settlementbus.margin.');
  const countQueued = (): number => running.linesOf('poller').filter(isChange).length;
  const before = countQueued();
  await running.market.publishMargin(margin);
  await waitFor('the queued change', () => countQueued() > before);
}

/** Number of webhook alerts that are not delivered yet. */
function countPendingAlerts(subject = '%'): Promise<number> {
  return countAlerts('delivered_at IS NULL', subject);
}

/** Number of webhook alerts that are delivered or replaced. */
function countDoneAlerts(subject: string): Promise<number> {
  return countAlerts('delivered_at IS NOT NULL', subject);
}

async function countAlerts(condition: string, subject: string): Promise<number> {
  const [row] = await running.database.query<{ count: number }>(
    `SELECT count(*)::integer AS count FROM subscriber.delivery
     WHERE sink = 'treasury' AND ${condition} AND subject LIKE $1`,
    [subject],
  );
  return row?.count ?? NaN;
}
