import { TimeoutError, withTimeout } from '@ssb/resilience';
import { Worker, type Job } from 'bullmq';
import { ReadableJob } from './readable-job.js';

const DISCONNECT_TIMEOUT_MS = 100;

/**
 * BullMQ's worker with a bounded close. While Redis is unavailable, BullMQ waits indefinitely for the end of a connection
 * (taskforcesh/bullmq#4656) and for the result of a job that cannot be written.
 */
export class BoundedWorker<T> extends Worker<T> {
  protected override get Job(): typeof Job {
    return ReadableJob;
  }

  /**
   * Closes as BullMQ does, but waits no longer than `timeoutMs` after `idle` resolves. A job whose result could not be written stays active
   * in Redis until another worker finds its lock expired.
   * @param idle resolves when no attempt is in flight
   */
  async closeWithin(timeoutMs: number, idle: Promise<void>): Promise<void> {
    const closed = this.close();
    await Promise.race([closed, idle]);
    if (await resolvesWithin(closed, timeoutMs)) return;
    await this.lockManager.close();
    // There is no client, or none yet, when Redis was never reached.
    const disconnected = Promise.resolve(this.backend.blockingClient).then((client) => client?.disconnect());
    await resolvesWithin(disconnected, DISCONNECT_TIMEOUT_MS);
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
