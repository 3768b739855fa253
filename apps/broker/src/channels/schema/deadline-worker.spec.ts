import { waitFor } from '@ssb/testing/in-process';
import { DeadlineWorker } from './deadline-worker.js';

const LIMIT_MS = 200;
/** A job that ends needs less, also on a busy machine. */
const LONG_LIMIT_MS = 20_000;
/** Is busy for `job` milliseconds, then posts the number of jobs that this thread has run. */
const WORKER_CODE = new URL(
  `data:text/javascript,${encodeURIComponent(`
  import { parentPort } from 'node:worker_threads';
  let jobs = 0;
  parentPort.on('message', (job) => {
    if (job === 'end') return setImmediate(() => process.exit()), parentPort.postMessage(0);
    if (job === 'fail') throw new RangeError('failed job');
    if (job === 'fill-memory') for (const all = []; ; ) all.push(new Array(1e6).fill(all));
    const end = performance.now() + job;
    while (performance.now() < end);
    jobs += 1;
    parentPort.postMessage(jobs);
  });
  parentPort.postMessage('ready');`)}`,
);

type Job = number | 'end' | 'fail' | 'fill-memory';
const ENDLESS: readonly Job[] = [Infinity, 'fill-memory'];
let worker: DeadlineWorker<Job, number>;

function start(processorMs?: () => number) {
  worker = new DeadlineWorker(WORKER_CODE, { resourceLimits: { maxOldGenerationSizeMb: 32 } }, processorMs);
  return (job: Job, limitMs = ENDLESS.includes(job) ? LIMIT_MS : LONG_LIMIT_MS) => worker.run(job, limitMs);
}

afterEach(() => worker.close());

describe('a worker with a deadline', () => {
  it('runs successive jobs in one thread, and the one after an endless job in a new thread', async () => {
    const run = start();
    expect([await run(0), await run(0), await run(Infinity)]).toEqual([1, 2, undefined]);
    expect([await run('fill-memory'), await run(0)]).toEqual([undefined, 1]);
  });

  it('doubles the limit once when the process got little processor time', async () => {
    const run = start(() => 0);
    // The job ends long before twice the limit, also on a busy machine.
    expect([await run(1_050, 1_000), await run(Infinity)]).toEqual([1, undefined]);
  });

  it('throws the error of the thread, and starts a new thread when it exited between two jobs', async () => {
    const run = start();
    await expect(run('fail')).rejects.toThrow('failed job');
    expect(await run(0)).toBe(1);
    await run('end');
    expect(await waitFor('a new thread', async () => (await run(0)) === 1)).toBe(true);
  });
});
