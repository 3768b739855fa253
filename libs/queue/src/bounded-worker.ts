import { Worker } from 'bullmq';

/**
 * BullMQ's worker with an end to its closing. While Redis is away BullMQ waits for ever: for the end of a connection that ioredis never
 * tells of between two attempts to connect (taskforcesh/bullmq#4656), and for the outcome of a job that cannot be written.
 */
export class BoundedWorker<T> extends Worker<T> {
  /**
   * Closes as the base class does, but no longer than this once `idle` has resolved; then lets go of the connection and the locks.
   * A job whose outcome could not be written stays in Redis as being in work, until another worker finds its lock expired.
   */
  async closeWithin(boundMs: number, idle: Promise<void>): Promise<void> {
    const closing = this.close();
    await Promise.race([closing, idle]);
    if (await settlesWithin(closing, boundMs)) return;
    await this.lockManager.close();
    // Not there when Redis was never reached; then there is nothing to disconnect.
    await settlesWithin(
      Promise.resolve(this.backend.blockingClient).then((client) => client?.disconnect()),
      100,
    );
  }
}

/** Whether a promise is fulfilled within a time; a rejection is passed on. */
async function settlesWithin(promise: Promise<unknown>, boundMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), boundMs);
  });
  return Promise.race([promise.then(() => true), late]).finally(() => clearTimeout(timer));
}
