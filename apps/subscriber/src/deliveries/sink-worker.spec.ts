import type { DeliveryOutcome } from '@ssb/net';
import { createLogger, Metrics } from '@ssb/platform';
import { waitFor } from '@ssb/testing';
import {
  createArchive,
  openSubscriberDatabase,
  type SubscriberDatabase,
} from '../../test/support/subscriber-database.js';
import { verifiedEntry, type VerifiedEntryOptions } from '../../test/support/archive-entries.js';
import type { ReaderToken } from '../replica/reader-lease.js';
import { SubscriberMetrics } from '../subscriber-metrics.js';
import { Deliverer } from './deliverer.js';
import { DeliveryOutbox } from './outbox/delivery-outbox.js';
import { ParkedDeliveries } from './outbox/parked-deliveries.js';
import { SinkStates } from './outbox/sink-states.js';
import { setSinkDisabled } from './requests/disabled-sinks.js';
import { SinkWorker } from './sink-worker.js';

const SINK = 'treasury';
const NOTICE = 'settlementbus.statement.published.v1' as const;
const log = createLogger({ name: 'test', level: 'silent', format: 'json' });

let storage: SubscriberDatabase;
let reader: ReaderToken;
let workers: SinkWorker[];
/** Ids and times of the attempts, as performance.now(). */
let attempts: { readonly id: string; readonly at: number }[];
let respond: (id: string) => DeliveryOutcome;

beforeAll(async () => {
  storage = await openSubscriberDatabase();
});
beforeEach(async () => {
  await storage.clear();
  reader = await storage.newReader();
  workers = [];
  attempts = [];
  respond = () => ({ kind: 'delivered' });
});
afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.stop(20_000)));
});
afterAll(() => storage.close());

/** A worker of a replica of its own. */
async function start(maxPerMinute?: number, states = new SinkStates(storage.database)): Promise<SinkWorker> {
  const { database } = storage;
  const metrics = new SubscriberMetrics(new Metrics());
  const sink = {
    name: SINK,
    maxPerMinute,
    deliver: ({ eventId: id }: { readonly eventId: string }) => {
      attempts.push({ id, at: performance.now() });
      return Promise.resolve(respond(id));
    },
    close: () => Promise.resolve(),
  };
  const stored = { verify: () => ({ ok: true }) as const, onUnverified: () => undefined };
  const worker = new SinkWorker(sink, await storage.newTerm(), {
    outbox: new DeliveryOutbox(database),
    parked: new ParkedDeliveries(database),
    states,
    deliverer: new Deliverer({ baseMs: 20, maxMs: 40 }, stored, metrics, log),
    concurrency: 8,
    metrics,
    log,
    onStorageFailure: () => undefined,
  });
  workers.push(worker);
  worker.wake();
  return worker;
}

async function commit(...alerts: VerifiedEntryOptions[]): Promise<void> {
  const entries = alerts.map((alert) => verifiedEntry({ sinks: [SINK], ...alert }));
  await createArchive(storage.database).recordEntries(entries, new Date(), reader);
}

const notices = (...ids: string[]) => commit(...ids.map((id) => ({ id, type: NOTICE })));
const attempted = (): string[] => attempts.map(({ id }) => id);

describe('a sink with a rate', () => {
  const PER_MINUTE = 600;
  const INTERVAL_MS = 60_000 / PER_MINUTE;

  it('two replicas keep it together, lose nothing, and send what is urgent first', async () => {
    await notices(...Array.from({ length: 9 }, (_, index) => `n${index}`));
    const startedAt = performance.now();
    await Promise.all([start(PER_MINUTE), start(PER_MINUTE)]);
    await waitFor('the first attempts', () => attempts.length >= 2);
    await commit({ id: 'breach' });
    const before = attempts.length;
    for (const worker of workers) worker.wake();
    await waitFor('all attempts', () => attempts.length === 10);
    expect(new Set(attempted()).size).toBe(10);
    // Each replica may have claimed one notice before the breach came, and attempts two while the other one waits for its claim.
    expect(attempted().indexOf('breach')).toBeLessThanOrEqual(before + 4);
    // The database counts the intervals. On a slow machine the first attempt begins later than its interval, the last one never earlier.
    expect((attempts[9]?.at ?? 0) - startedAt).toBeGreaterThan(8.5 * INTERVAL_MS);
  });

  it('a replica that waits for its next attempt keeps nothing from the other', async () => {
    await commit({ id: 'breach' });
    await notices('n1', 'n2');
    let endWait: ((waitMs: number) => void) | undefined;
    const takeAttempt = () => new Promise<number>((resolve) => (endWait = resolve));
    await start(PER_MINUTE, Object.assign(new SinkStates(storage.database), { takeAttempt }));
    await waitFor('the wait', () => endWait !== undefined);
    try {
      await start(PER_MINUTE);
      await waitFor('all attempts', () => attempts.length === 3);
    } finally {
      endWait?.(INTERVAL_MS);
    }
    expect(attempted()[0]).toBe('breach');
  });
});

describe('a receiver that responds with 410', () => {
  const disabled = () => new SinkStates(storage.database).listDisabled();

  it('is disabled; what waits, and what it refused, is delivered once a person enables it', async () => {
    respond = () => ({ kind: 'rejected', status: 410 });
    await commit({ id: 'first' });
    const worker = await start();
    await waitFor('the end of the sink', async () => (await disabled()).length === 1);
    expect(await disabled()).toMatchObject([
      {
        sink: SINK,
        by: 'subscriber',
        reason: 'its receiver no longer exists: rejected with status 410',
      },
    ]);
    await commit({ id: 'second' });
    respond = () => ({ kind: 'delivered' });
    await worker.stop(20_000);
    await start();
    expect(attempted()).toEqual(['first']);
    await setSinkDisabled(storage.database, SINK, undefined);
    workers.at(-1)?.wake();
    workers.at(-1)?.noteParked();
    await waitFor('both deliveries', () => attempts.length === 3);
    expect(attempted().slice(1).sort()).toEqual(['first', 'second']);
  });
});
