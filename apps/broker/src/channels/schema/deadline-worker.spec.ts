import { waitFor } from '@ssb/testing';
import { DeadlineWorker } from './deadline-worker.js';

const LIMIT_MS = 300;
/** Works for the given time, then answers with its thread's number of jobs. */
const FILE = new URL(
  `data:text/javascript,${encodeURIComponent(`
  import { parentPort } from 'node:worker_threads';
  let jobs = 0;
  parentPort.on('message', (job) => {
    if (job === 'end') return setImmediate(() => process.exit()), parentPort.postMessage(0);
    if (job === 'fail') throw new RangeError('this one');
    if (job === 'fill') for (const all = []; ; ) all.push(new Array(1e6).fill(all));
    const end = performance.now() + job;
    while (performance.now() < end);
    jobs += 1;
    parentPort.postMessage(jobs);
  });
  parentPort.postMessage('ready');`)}`,
);

type Job = number | 'end' | 'fail' | 'fill';
let worker: DeadlineWorker<Job, number>;

function start(processorMs?: () => number) {
  worker = new DeadlineWorker(FILE, { resourceLimits: { maxOldGenerationSizeMb: 32 } }, processorMs);
  return (job: Job) => worker.run(job, LIMIT_MS);
}

afterEach(() => worker.close());

describe('a worker with a deadline', () => {
  it('does job after job in one thread', async () => {
    const run = start();
    expect([await run(0), await run(0)]).toEqual([1, 2]);
  });

  it.each<Job>([Infinity, 'fill'])(
    'terminates an endless job: %s; another thread runs the next',
    async (job) => {
      const run = start();
      await run(0);
      expect([await run(job), await run(0)]).toEqual([undefined, 1]);
    },
  );

  it('doubles the limit once while the machine is busy', async () => {
    const run = start(() => 0);
    expect([await run(LIMIT_MS + 50), await run(Infinity)]).toEqual([1, undefined]);
  });

  it('starts another thread after one that ended between two jobs', async () => {
    const run = start();
    await run('end');
    expect(await waitFor('the end', async () => (await run(0)) === 1)).toBe(true);
  });

  it('throws the error of the thread, and runs the next job', async () => {
    const run = start();
    await expect(run('fail')).rejects.toThrow('this one');
    expect(await run(0)).toBe(1);
  });
});
