import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { REPOSITORY_ROOT } from '@ssb/tools';
import type { ArrivedEvents, EventsToArchive } from './arriving-events.js';
import { PARTICIPANTS } from './fill-statements.js';

interface Database {
  query<Row>(sql: string, parameters?: readonly unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

/** The parts of the subscriber that are used here. */
interface Modules {
  readonly Database: new (options: { url: string; schema: string; connections: number }) => Database;
  readonly Archive: new (
    database: Database,
    options: object,
  ) => {
    recordEntries(
      entries: readonly object[],
      now: Date,
      reader: object,
    ): Promise<{ readonly kind: string }[]>;
  };
  readonly acquireReaderLease: (
    database: Database,
    clientId: string,
    term: number,
  ) => Promise<object | undefined>;
}

const BATCHES_PER_SECOND = 10;
const POLICY = {
  severityOf: () => 'info',
  findSinks: () => ['log'],
  findWithholdingRules: () => [],
  hasSink: () => true,
};

/** Archives calculations at a steady rate with the subscriber's own code, each with a delivery that its sink accepts. */
class ArchivingLoop {
  private constructor(
    private readonly database: Database,
    private readonly archive: InstanceType<Modules['Archive']>,
    private readonly reader: object,
  ) {}

  static async open(url: string): Promise<ArchivingLoop> {
    const load = async (path: string): Promise<Modules> =>
      (await import(join(REPOSITORY_ROOT, path))) as Modules;
    const { Database } = await load('libs/postgres/dist/src/index.js');
    const { Archive } = await load('apps/subscriber/dist/src/archive/archive.js');
    const { acquireReaderLease } = await load('apps/subscriber/dist/src/replica/reader-lease.js');
    const database = new Database({ url, schema: 'subscriber', connections: 2 });
    const [term] = await database.query<{ token: number }>(
      `INSERT INTO replica (name, expires_at) VALUES ('bench', now() + interval '1 day') RETURNING fencing_token AS token`,
    );
    const reader = await acquireReaderLease(database, 'bench', term?.token ?? NaN);
    if (reader === undefined) throw new Error('Another replica reads.');
    const archive = new Archive(database, {
      faults: { raiseWithin: () => Promise.resolve([]) },
      onFaultsStored: () => undefined,
      onIdentitiesAdvanced: () => undefined,
      verifyStored: () => ({ ok: true }),
      alertPolicy: () => POLICY,
      silences: { readActive: () => Promise.resolve([]) },
      participants: () => [],
      alertsSince: () => new Map(),
      lateAfterMs: 3_600_000,
      holdMs: 5_000,
      quarantineMaxBytes: 1_000_000,
    });
    return new ArchivingLoop(database, archive, reader);
  }

  async run({ example, perSecond }: EventsToArchive, ending: AbortSignal): Promise<ArrivedEvents> {
    const started = performance.now();
    let count = 0;
    for (let batch = 1; !ending.aborted; batch += 1) {
      const now = new Date();
      const entries = Array.from({ length: Math.ceil(perSecond / BATCHES_PER_SECOND) }, (_, place) =>
        createEntry(example, now, batch * 1_000 + place),
      );
      await this.archive.recordEntries(entries, now, this.reader);
      count += entries.length;
      await this.deliver();
      const waitMs = started + (batch * 1_000) / BATCHES_PER_SECOND - performance.now();
      if (waitMs > 0) await pause(waitMs, undefined, { signal: ending }).catch(() => undefined);
    }
    await this.database.close();
    return { count, seconds: (performance.now() - started) / 1_000 };
  }

  /** Ends what is pending for the log, as its worker does. */
  private async deliver(): Promise<void> {
    await this.database.query(
      `WITH ended AS (
         UPDATE delivery SET delivered_at = clock_timestamp(), attempts = 1, last_outcome = 'delivered'
         WHERE sink = 'log' AND delivered_at IS NULL RETURNING event_id, sink, subject
       ), attempts AS (
         INSERT INTO attempt (event_id, sink, number, at, duration_ms, outcome) SELECT event_id, sink, 1, now(), 1, 'delivered' FROM ended
       )
       UPDATE delivery_subject SET pending = 0 FROM (SELECT DISTINCT subject FROM ended) AS known
       WHERE sink = 'log' AND delivery_subject.subject = known.subject`,
    );
  }
}

/** A verified message with a calculation. */
function createEntry(example: Readonly<Record<string, unknown>>, now: Date, number: number): object {
  const participant = `WP${String(number % PARTICIPANTS).padStart(3, '0')}`;
  const local = new Date(now.getTime() + 8 * 3_600_000).toISOString().slice(0, 19);
  const event = {
    ...example,
    id: randomUUID(),
    participant,
    subject: `${participant}/position`,
    time: `${local}+08:00`,
    sequence: String(now.getTime() * 1_000 + (number % 1_000)).padStart(20, '0'),
    detectedat: now.toISOString(),
    signedat: now.toISOString(),
    data: {
      ...(example['data'] as object),
      tradingDay: `${local.slice(0, 10)}T00:00:00`,
      calculatedAt: local,
      isForecast: false,
      tradingMargin: String(number % 100_000),
    },
  };
  return {
    kind: 'verified',
    message: {
      id: `message-${event.id}`,
      fqcn: 'prudential.channels.bridge.apps.participant.iam.market',
      topic: 'position.calculated.v1',
      payload: JSON.stringify(event),
      signature: `0x${'ab'.repeat(65)}`,
      sender: 'did:ethr:0x1111111111111111111111111111111111111111',
      timestampNanos: BigInt(now.getTime()) * 1_000_000n,
      transactionId: event.id,
    },
    event,
    origin: 'did:ethr:0x2c7536E3605D9C16a7a3D7b1898e529396a65c23',
    problem: undefined,
    amount: undefined,
    marks: [],
    announcesProblem: false,
    documentVersion: undefined,
    isRestated: false,
  };
}

const [toArchive] = (await once(process, 'message')) as [EventsToArchive];
const ending = new AbortController();
process.once('message', () => ending.abort());
process.once('disconnect', () => ending.abort());
const loop = await ArchivingLoop.open(toArchive.url);
process.send?.('started');
const arrived = await loop.run(toArchive, ending.signal);
if (process.connected) process.send?.(arrived, () => process.disconnect());
