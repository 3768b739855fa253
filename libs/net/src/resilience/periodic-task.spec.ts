import { PeriodicTask } from './periodic-task.js';

/** Each run waits until its entry is called. */
let ends: (() => void)[];
let task: PeriodicTask;

beforeEach(() => {
  ends = [];
  const run = (): Promise<void> => new Promise((resolve) => ends.push(resolve));
  task = new PeriodicTask(run, 3_600_000, () => undefined);
});

/** Ends a run. What follows it has begun then. */
async function end(index: number): Promise<void> {
  ends[index]?.();
  await new Promise((resolve) => setImmediate(resolve));
}

it('a task that is woken during a run is run once more', async () => {
  task.start();
  for (let n = 0; n < 3; n += 1) task.wake();
  expect(ends).toHaveLength(1);
  await end(0);
  expect(ends).toHaveLength(2);
  await end(1);
  expect(ends).toHaveLength(2);
  task.wake();
  expect(ends).toHaveLength(3);
  await Promise.all([end(2), task.stop()]);
});

it('a stopped task is not run once more', async () => {
  task.start();
  task.wake();
  const stopped = task.stop();
  await end(0);
  await stopped;
  task.wake();
  expect(ends).toHaveLength(1);
});
