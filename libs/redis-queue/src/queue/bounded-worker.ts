import { TimeoutError, withTimeout } from '@ssb/net';
import { Worker, type Job, type JobJson, type WorkerOptions } from 'bullmq';
import type { RedisConnection } from '../redis/servers.js';
import { IntakeLimit } from './domain/intake-limit.js';
import { TakenOrder } from './domain/taken-order.js';
import { readableBackend, ReadableJob } from './readable-job.js';

const DISCONNECT_TIMEOUT_MS = 100;

/** How often a worker without a free place looks for jobs of precedence 0. */
const RESERVE_CHECK_MS = 50;

/** BullMQ's score of a delayed job is its time in milliseconds times this, plus a counter. */
const DELAYED_SCORE_STEP = 0x1000;

const MAX_DUE_CHECKED = 1_000;

/**
 * Returns 1 when one of the due delayed jobs has priority 0, or when too many are due to check each. KEYS[1]: delayed jobs. ARGV: highest
 * score, maximum number, prefix of the keys of jobs.
 */
const HAS_DUE_PRIORITY_ZERO = `
local ids = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, ARGV[2])
if #ids == tonumber(ARGV[2]) then return 1 end
for _, id in ipairs(ids) do
  local priority = redis.pcall('HGET', ARGV[3] .. id, 'priority')
  if priority == '0' then return 1 end
end
return 0`;

export interface BoundedWorkerOptions extends WorkerOptions {
  readonly connection: RedisConnection;
  readonly concurrency: number;
  /** Jobs of precedence 0 (priority 0 in BullMQ) that are processed in addition to `concurrency`, so that they do not wait for other jobs. */
  readonly reserved: number;
  /** Jobs up to this precedence start in the order of the queue. A reserved place keeps such a job, because a return would change the order. */
  readonly lastOrdered: number;
  /** Characters of the data of the jobs in flight. At this size no further job is taken. */
  readonly maxDataInFlight: number;
}

/**
 * BullMQ's worker with a bounded close, bounded data in flight, and places that are reserved for jobs of precedence 0. Jobs start in the
 * order of the queue.
 */
export class BoundedWorker<T> extends Worker<T> {
  private readonly limit: IntakeLimit;
  private readonly order: TakenOrder;
  private readonly reserved: number;
  private readonly lastOrdered: number;
  private readonly redis: RedisConnection;
  /** Tokens of the jobs in flight that have a reserved place. */
  private readonly inReserve = new Set<string>();
  private readonly reserveCheck: NodeJS.Timeout;
  private taken = 0;
  private readonly inProcess = new Set<Promise<unknown>>();
  private isChecking = false;

  constructor(
    name: string,
    process: (job: Job<T>) => Promise<unknown>,
    { reserved, lastOrdered, maxDataInFlight, ...options }: BoundedWorkerOptions,
  ) {
    const order = new TakenOrder();
    const backend = readableBackend(options.connection, (id) => order.add(id));
    super(name, (job: Job<T>) => this.processLimited(job, process), options, backend);
    this.order = order;
    this.limit = new IntakeLimit(options.concurrency, maxDataInFlight);
    this.reserved = reserved;
    this.lastOrdered = lastOrdered;
    this.redis = options.connection;
    this.reserveCheck = setInterval(() => void this.fillReserve(), RESERVE_CHECK_MS);
  }

  protected override get Job(): typeof Job {
    return ReadableJob;
  }

  /** BullMQ takes jobs as long as fewer than `concurrency` are in flight. */
  protected override createJob(json: JobJson, id: string): Job<T> {
    const job = super.createJob(json, id);
    // Another client may have written a job without data.
    this.limit.add(id, String(json.data).length);
    this.concurrency = this.limit.concurrency;
    return job;
  }

  /** Takes no further jobs. Those in flight continue. */
  async stopIntake(): Promise<void> {
    clearInterval(this.reserveCheck);
    await this.pause(true);
  }

  /**
   * Closes as BullMQ does, but waits no longer than `timeoutMs` after the last job was processed. While Redis is unavailable, BullMQ waits
   * indefinitely for the end of a connection (taskforcesh/bullmq#4656) and for the result of a job. A job whose result could not be written
   * stays active in Redis until another worker finds its lock expired.
   */
  async closeWithin(timeoutMs: number): Promise<void> {
    clearInterval(this.reserveCheck);
    const closed = this.close();
    await Promise.race([closed, this.waitUntilIdle()]);
    if (await resolvesWithin(closed, timeoutMs)) return;
    await this.lockManager.close();
    // The client is undefined or pending when Redis was never reached.
    const disconnected = Promise.resolve(this.backend.blockingClient).then((client) => client?.disconnect());
    await resolvesWithin(disconnected, DISCONNECT_TIMEOUT_MS);
  }

  private async processLimited(job: Job<T>, process: (job: Job<T>) => Promise<unknown>): Promise<unknown> {
    const processed = this.order.waitForTurn(job.id ?? '').then(() => process(job));
    this.inProcess.add(processed);
    try {
      return await processed;
    } finally {
      this.inProcess.delete(processed);
      this.release(job);
    }
  }

  /** Resolves when no job is processed. */
  private async waitUntilIdle(): Promise<void> {
    while (this.inProcess.size > 0) await Promise.allSettled(this.inProcess);
  }

  private release({ id = '' }: Job<T>): void {
    this.limit.remove(id);
    this.concurrency = this.limit.concurrency;
  }

  private async fillReserve(): Promise<void> {
    if (this.isChecking || !this.limit.isFull) return;
    this.isChecking = true;
    try {
      while (this.inReserve.size < this.reserved && (await this.hasPrecedenceZero()))
        await this.takeReserved();
    } catch (error) {
      if (!this.closing) this.emit('error', error as Error);
    } finally {
      this.isChecking = false;
    }
  }

  /** BullMQ keeps jobs of priority 0 in the list `wait`. A delayed job moves there when a job is taken. */
  private async hasPrecedenceZero(): Promise<boolean> {
    if (this.closing || this.paused) return false;
    const { redis } = this;
    if ((await redis.llen(this.toKey('wait'))) > 0) return true;
    const highest = Date.now() * DELAYED_SCORE_STEP;
    const found = await redis.eval(
      HAS_DUE_PRIORITY_ZERO,
      1,
      this.toKey('delayed'),
      highest,
      MAX_DUE_CHECKED,
      this.toKey(''),
    );
    return found === 1;
  }

  private async takeReserved(): Promise<void> {
    this.taken += 1;
    const token = `${this.id}:reserved:${this.taken}`;
    const job = await this.getNextJob(token, { block: false });
    if (job === undefined) return;
    this.release(job);
    // The job of precedence 0 was taken meanwhile.
    if (job.priority > this.lastOrdered) {
      this.order.remove(job.id ?? '');
      await job.moveToWait(token);
      return;
    }
    this.inReserve.add(token);
    void this.processJob(job, token, () => false).finally(() => this.inReserve.delete(token));
  }
}

/** Whether the promise resolves in time. @throws the promise's error */
async function resolvesWithin(promise: Promise<unknown>, timeoutMs: number): Promise<boolean> {
  try {
    await withTimeout(promise, timeoutMs);
    return true;
  } catch (error) {
    if (error instanceof TimeoutError) return false;
    throw error;
  }
}
