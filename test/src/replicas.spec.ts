import { readFileSync } from 'node:fs';
import { waitFor } from '@ssb/testing';
import type { AppProcess } from '@ssb/tools';
import { HeldReceiver } from './harness/held-receiver.js';
import type { ExpectedFact } from './harness/market.js';
import { RunningSystem } from './harness/running-system.js';

const BURST = 120;
/** Margin changes of one subject. */
const CHANGES = 8;
/** Another replica has taken over after this at the latest. */
const TAKE_OVER_MS = 30_000;

let receiver: HeldReceiver;
let running: RunningSystem;
let replicas: Record<'first' | 'second', AppProcess>;
const started: { stop(): Promise<void> }[] = [];

/** Two replicas of the subscriber on one database, with the lease's default times. */
beforeAll(async () => {
  receiver = new HeldReceiver();
  started.unshift(receiver);
  const WEBHOOK_URL = await receiver.start();
  running = await RunningSystem.start({ subscriber: { WEBHOOK_URL, REPLICA_NAME: 'first' } });
  started.unshift(running);
  const second = await running.replicaOf('subscriber', 'second', { REPLICA_NAME: 'second' });
  replicas = { first: running.system.process('subscriber'), second };
  started.unshift(second);
  await second.start();
}, 240_000);

afterAll(async () => {
  for (const each of started) await each.stop();
});

async function delivered(subjects: readonly string[], timeoutMs = 60_000): Promise<void> {
  const missing = (): string[] => {
    const seen = new Set(receiver.requests.map(({ subject }) => subject));
    return subjects.filter((subject) => !seen.has(subject));
  };
  await waitFor(
    () => `the deliveries of ${subjects.length} subjects, ${missing().length} of which are missing`,
    () => missing().length === 0,
    timeoutMs,
  );
}

/** How often a replica has logged a message. The first replica's process is named like the app. */
function logged(replica: 'first' | 'second', msg: string): number {
  const app = replica === 'first' ? 'subscriber' : replica;
  return running.lines.filter((each) => each.app === app && each.line.msg === msg).length;
}

/** The replica that reads the channels, by the database. */
async function reader(): Promise<'first' | 'second'> {
  return waitFor(
    'the replica that reads',
    async () => {
      const [row] = await running.database.query<{ name: 'first' | 'second' }>(
        `SELECT replica.name FROM subscriber.reader_lease JOIN subscriber.replica ON holder = replica.fencing_token`,
      );
      return row?.name;
    },
    TAKE_OVER_MS,
  );
}

/** The replicas that have a lease. */
async function names(): Promise<string[]> {
  const rows = await running.database.query<{ name: string }>('SELECT name FROM subscriber.replica');
  return rows.map(({ name }) => name);
}

/** The replicas that deliver at the moment. */
async function claiming(): Promise<('first' | 'second')[]> {
  const rows = await running.database.query<{ name: 'first' | 'second' }>(
    `SELECT DISTINCT replica.name FROM subscriber.alert_subject JOIN subscriber.replica ON claimed_by = fencing_token
     WHERE sink = 'treasury'`,
  );
  return rows.map(({ name }) => name);
}

const otherOf = (replica: 'first' | 'second'): 'first' | 'second' =>
  replica === 'first' ? 'second' : 'first';

describe('two replicas of the subscriber', () => {
  it('deliver each alert once, both at work, while one of them reads the channels', async () => {
    const reads = await reader();
    await waitFor('both replicas', async () => (await names()).length === 2, TAKE_OVER_MS);
    receiver.holds = true;
    const facts = await publishBurst();
    // More subjects than one replica claims at a time.
    await waitFor('both replicas to deliver', async () => (await claiming()).length === 2);
    receiver.release();
    await delivered(facts.map(({ subject }) => subject));
    const ids = receiver.requests.map(({ webhookId }) => webhookId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const replica of ['first', 'second'] as const)
      await waitFor(`an alert of the ${replica} replica`, () => logged(replica, 'event alerted') > 0);
    expect(logged(reads, 'gateway stream connected')).toBe(1);
    expect(logged(otherOf(reads), 'gateway stream connected')).toBe(0);
  });

  it('keep the order of a subject', async () => {
    const before = receiver.requests.length;
    for (let at = 0; at < CHANGES; at += 1) await publishMargin(at % 2 === 0 ? '-1.00' : '900000.00');
    const margins = (): string[] =>
      receiver.requests
        .slice(before)
        .filter(({ subject }) => subject.endsWith('/prudential'))
        .map(({ body }) => body);
    await waitFor('every change of the margin', () => margins().length === CHANGES);
    const sequences = margins().map((body) => (JSON.parse(body) as { sequence: string }).sequence);
    expect(sequences).toEqual([...sequences].sort());
  });

  it('take over from each other: every event arrives when kill -9 strikes the one that reads', async () => {
    const reads = await reader();
    const before = receiver.requests.length;
    const facts = await publishBurst();
    await waitFor('ten more requests', () => receiver.requests.length >= before + 10);
    await replicas[reads].kill();
    await delivered(
      facts.map(({ subject }) => subject),
      TAKE_OVER_MS,
    );
    expect(await reader()).toBe(otherOf(reads));
    const bodyOf = new Map<string, string>();
    for (const { webhookId, body } of receiver.requests)
      expect(bodyOf.set(webhookId, bodyOf.get(webhookId) ?? body).get(webhookId)).toBe(body);
    await replicas[reads].start();
  });

  it('hand the channels over when the one that reads is stopped, without waiting for the end of its lease', async () => {
    const reads = await reader();
    const facts = await publishBurst();
    await replicas[reads].stop();
    expect(await names()).toEqual([otherOf(reads)]);
    await delivered(facts.map(({ subject }) => subject));
    expect(await reader()).toBe(otherOf(reads));
    await replicas[reads].start();
  });

  it('give up their leases while the database does not answer, serve their metrics, and go on when it does', async () => {
    await waitFor(
      'both replicas and no pending alert',
      async () => (await names()).length === 2 && (await pending()) === 0,
      TAKE_OVER_MS,
    );
    const before = receiver.requests.length;
    const lost = (replica: 'first' | 'second') => logged(replica, 'replica lease ended');
    const counts = { first: lost('first'), second: lost('second') };
    const resume = suspend(running.database.pid);
    try {
      for (const replica of ['first', 'second'] as const)
        await waitFor(
          `the ${replica} replica to lose its lease`,
          () => lost(replica) > counts[replica],
          TAKE_OVER_MS,
        );
      const answer = await fetch(`http://127.0.0.1:${running.system.plan.ports.subscriber}/metrics`);
      expect(answer.status).toBe(200);
      expect(await answer.text()).toMatch(/^subscriber_reader 0$/m);
    } finally {
      resume();
    }
    const facts = await publishBurst();
    await delivered(facts.map(({ subject }) => subject));
    const ids = receiver.requests.slice(before).map(({ webhookId }) => webhookId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('a replica that was suspended while it read the channels leaves them to the other when it goes on', async () => {
    const reads = await reader();
    await waitFor('the last pending alert', async () => (await pending()) === 0);
    const before = receiver.requests.length;
    const terms = logged(reads, 'replica lease acquired');
    const connections = logged(reads, 'gateway stream connected');
    const pid = replicas[reads].pid ?? NaN;
    process.kill(pid, 'SIGSTOP');
    let facts: readonly { readonly subject: string }[];
    try {
      facts = await publishBurst();
      await delivered(
        facts.map(({ subject }) => subject),
        TAKE_OVER_MS,
      );
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    await waitFor(
      'another lease of the reader',
      () => logged(reads, 'replica lease acquired') > terms,
      TAKE_OVER_MS,
    );
    const later = await publishBurst();
    await delivered(later.map(({ subject }) => subject));
    expect(await reader()).toBe(otherOf(reads));
    expect(logged(reads, 'gateway stream connected')).toBe(connections);
    const ids = receiver.requests.slice(before).map(({ webhookId }) => webhookId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('a replica that was suspended beyond its lease starts no attempt and records no outcome; the other repeats what was in flight', async () => {
    const before = receiver.requests.length;
    const news = (): string[] => receiver.requests.slice(before).map(({ webhookId }) => webhookId);
    receiver.holds = true;
    await running.market.publishMargin('-1.00');
    await waitFor('one request', () => news().length === 1);
    // Pending behind the one in flight: the next chain holds all three.
    for (const margin of ['900000.00', '-2.00', '900001.00']) await publishMargin(margin);
    await waitFor('four pending alerts', async () => (await pending()) === 4);
    receiver.requests[before]?.answer();
    await waitFor('two requests', () => news().length === 2);
    const [suspended = 'first'] = await claiming();
    const pid = replicas[suspended].pid ?? NaN;
    const terms = logged(suspended, 'replica lease acquired');
    process.kill(pid, 'SIGSTOP');
    try {
      receiver.holds = false;
      await waitFor('the last pending alert', async () => (await pending()) === 0, TAKE_OVER_MS);
      // The answer to the first replica's attempt is there when it goes on.
      receiver.requests[before + 1]?.answer();
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    await waitFor(
      'another lease of the suspended replica',
      () => logged(suspended, 'replica lease acquired') > terms,
      TAKE_OVER_MS,
    );
    const [first, second, ...rest] = news();
    expect(rest[0]).toBe(second);
    expect(news()).toEqual([first, second, ...rest]);
    expect(new Set(rest).size).toBe(3);
    expect(rest).toHaveLength(3);
    expect(receiver.requests[before + 2]?.body).toBe(receiver.requests[before + 1]?.body);
    const [row] = await running.database.query(
      `SELECT attempts, last_outcome FROM subscriber.alert_outbox WHERE event_id = $1 AND sink = 'treasury'`,
      [second],
    );
    expect(row).toEqual({ attempts: 1, last_outcome: 'delivered, status 204' });
  });
});

/** Suspends a process and its children, as a server that still accepts connections and answers nothing. @returns lets them go on */
function suspend(pid: number): () => void {
  process.kill(pid, 'SIGSTOP');
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
  const signal = (name: NodeJS.Signals): void => {
    for (const each of [...children, pid]) {
      try {
        process.kill(each, name);
      } catch (error) {
        // A child may have ended meanwhile.
        if ((error as { code?: string }).code !== 'ESRCH') throw error;
      }
    }
  };
  signal('SIGSTOP');
  return () => signal('SIGCONT');
}

/** Publishes a burst. Everything published before must have been delivered. */
async function publishBurst(): Promise<readonly ExpectedFact[]> {
  await running.market.endRuns();
  return running.market.publishStatements(BURST);
}

/** Publishes a margin of another level than the last, and waits until the poller has detected it. */
async function publishMargin(margin: string): Promise<void> {
  const queued = (): number =>
    running.lines.filter(({ app, line }) => app === 'poller' && line.step === 'queued').length;
  const before = queued();
  await running.market.publishMargin(margin);
  await waitFor('one more queued event', () => queued() > before);
}

/** Alerts for the webhook that are not delivered yet. */
async function pending(): Promise<number> {
  const [row] = await running.database.query<{ count: number }>(
    `SELECT count(*)::integer AS count FROM subscriber.alert_outbox WHERE sink = 'treasury' AND delivered_at IS NULL`,
  );
  return row?.count ?? NaN;
}
