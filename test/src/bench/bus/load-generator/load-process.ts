import { KeepAlivePost } from './post-connection.js';
import { postTexts } from './request-texts.js';
import type { Job, JobResult } from './load-generator.js';

/** The load generator: posts what its parent asks for, and tells how long each message took. */
async function work({ target, total, inFlight }: Job): Promise<JobResult> {
  const next = postTexts(target);
  const connections = await Promise.all(
    Array.from({ length: inFlight }, () => KeepAlivePost.open(target.port)),
  );
  const latencies: number[] = [];
  let begun = 0;
  const post = async (connection: KeepAlivePost): Promise<void> => {
    while (begun < total && !told.stop) {
      begun += 1;
      const request = next();
      const from = performance.now();
      await connection.send(request);
      latencies.push(performance.now() - from);
    }
  };
  try {
    const cpu = process.cpuUsage();
    const began = performance.now();
    await Promise.all(connections.map(post));
    const seconds = (performance.now() - began) / 1000;
    const { user, system } = process.cpuUsage(cpu);
    return { seconds, latencies, cpuMs: (user + system) / 1000 };
  } finally {
    for (const connection of connections) connection.close();
  }
}

const told = { stop: false };

async function answer(job: Job): Promise<void> {
  told.stop = false;
  try {
    process.send?.(await work(job));
  } catch (error) {
    process.send?.({ failure: error instanceof Error ? error.message : String(error) });
  }
}

process.on('message', (message: Job | 'stop') => {
  if (message === 'stop') told.stop = true;
  else void answer(message);
});
// Never outlives whoever measures.
process.once('disconnect', () => process.exit(0));
