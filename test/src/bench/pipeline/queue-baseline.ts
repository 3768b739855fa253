import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';

const CONCURRENCY = 16;
const BULK_SIZE = 500;

/** Jobs per second through BullMQ with a no-op worker, on the same Redis and with the concurrency of the bus-publisher. */
export async function measureQueue(redisUrl: string, jobs: number): Promise<number> {
  const connection = new Redis(redisUrl, { maxRetriesPerRequest: null });
  const workerConnection = connection.duplicate();
  const queue = new Queue('bench', { connection, prefix: '{bench}' });
  const payload = { filler: 'x'.repeat(1_000) };
  let done = 0;
  let onAllDone: () => void = () => undefined;
  const allDone = new Promise<void>((resolve) => (onAllDone = resolve));
  const worker = new Worker(
    'bench',
    () => {
      done += 1;
      if (done === jobs) onAllDone();
      return Promise.resolve();
    },
    { connection: workerConnection, prefix: '{bench}', concurrency: CONCURRENCY, autorun: false },
  );
  try {
    const started = performance.now();
    void worker.run();
    for (let first = 0; first < jobs; first += BULK_SIZE) {
      const size = Math.min(BULK_SIZE, jobs - first);
      await queue.addBulk(
        Array.from({ length: size }, (_, offset) => ({
          name: 'noop',
          data: payload,
          opts: { jobId: `job-${first + offset}` },
        })),
      );
    }
    await allDone;
    return jobs / ((performance.now() - started) / 1000);
  } finally {
    await worker.close();
    await queue.obliterate({ force: true });
    await queue.close();
    await workerConnection.quit();
    await connection.quit();
  }
}
