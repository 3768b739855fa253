import type { Job, JobResult } from './load-generator.js';
import { PostConnection } from './post-connection.js';
import { createRequestTexts } from './request-texts.js';

/** The process of the load generator. It runs the jobs of its parent and sends the results. */
async function run({ target, total, inFlight }: Job): Promise<JobResult> {
  const nextRequest = createRequestTexts(target);
  const connections = await Promise.all(
    Array.from({ length: inFlight }, () => PostConnection.open(target.port)),
  );
  const latencies: number[] = [];
  let sent = 0;
  const publish = async (connection: PostConnection): Promise<void> => {
    while (sent < total && !stopRequested) {
      sent += 1;
      const request = nextRequest();
      const started = performance.now();
      await connection.send(request);
      latencies.push(performance.now() - started);
    }
  };
  try {
    const cpu = process.cpuUsage();
    const started = performance.now();
    await Promise.all(connections.map(publish));
    const seconds = (performance.now() - started) / 1000;
    const { user, system } = process.cpuUsage(cpu);
    return { seconds, latencies, cpuMs: (user + system) / 1000 };
  } finally {
    for (const connection of connections) connection.close();
  }
}

let stopRequested = false;

async function handleJob(job: Job): Promise<void> {
  stopRequested = false;
  try {
    process.send?.(await run(job));
  } catch (error) {
    process.send?.({ failure: error instanceof Error ? error.message : String(error) });
  }
}

process.on('message', (message: Job | 'stop') => {
  if (message === 'stop') stopRequested = true;
  else void handleJob(message);
});
process.once('disconnect', () => process.exit(0));
