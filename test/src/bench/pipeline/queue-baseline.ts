import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';

/** Jobs a second through BullMQ alone: added in bulk, a worker that does nothing, the same Redis and the publisher's concurrency. */
export async function queueAlone(redisUrl: string, jobs: number): Promise<number> {
  const connection = new Redis(redisUrl, { maxRetriesPerRequest: null });
  const workerConnection = connection.duplicate();
  const queue = new Queue('bench', { connection, prefix: '{bench}' });
  const payload = { filler: 'x'.repeat(1_000) };
  let done = 0;
  let finished: () => void = () => undefined;
  const all = new Promise<void>((resolve) => (finished = resolve));
  const worker = new Worker(
    'bench',
    () => {
      done += 1;
      if (done === jobs) finished();
      return Promise.resolve();
    },
    { connection: workerConnection, prefix: '{bench}', concurrency: 16, autorun: false },
  );
  try {
    const began = process.hrtime.bigint();
    void worker.run();
    for (let at = 0; at < jobs; at += 500) {
      const size = Math.min(500, jobs - at);
      await queue.addBulk(
        Array.from({ length: size }, (_, offset) => ({
          name: 'noop',
          data: payload,
          opts: { jobId: `job-${at + offset}` },
        })),
      );
    }
    await all;
    return jobs / (Number(process.hrtime.bigint() - began) / 1e9);
  } finally {
    await worker.close();
    await queue.obliterate({ force: true });
    await queue.close();
    await workerConnection.quit();
    await connection.quit();
  }
}
