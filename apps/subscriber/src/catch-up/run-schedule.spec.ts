import { waitFor } from '@ssb/testing/in-process';
import { RunSchedule, type RunOutcome, type SchedulePolicy } from './run-schedule.js';

const HOUR_MS = 3_600_000;
const COMPLETED: RunOutcome = { kind: 'completed' };
const FAILED: RunOutcome = { kind: 'failed' };
const EAGER: SchedulePolicy = { intervalMs: HOUR_MS, minIntervalMs: 0 };
/** A timer may fire a little early. */
const TIMER_TOLERANCE_MS = 2;

let schedule: RunSchedule | undefined;
afterEach(() => schedule?.stop());

/** A schedule whose runs are recorded, and succeed as `outcome` says. */
function open(
  policy: Partial<SchedulePolicy>,
  outcome: (run: number, stopping: AbortSignal) => Promise<RunOutcome> = () => Promise.resolve(COMPLETED),
) {
  const startedAt: number[] = [];
  schedule = new RunSchedule(
    (stopping) => {
      startedAt.push(performance.now());
      return outcome(startedAt.length, stopping);
    },
    { ...EAGER, ...policy },
  );
  schedule.start();
  return { schedule, startedAt };
}

const pauses = (times: readonly number[]): number[] =>
  times.slice(1).map((time, at) => time - (times[at] ?? 0));

describe('RunSchedule', () => {
  it('delays requests to the minimum interval, and drops none', async () => {
    const { schedule, startedAt } = open({ minIntervalMs: 50 });
    // The interval begins shortly before the run records its start.
    const requestedAt = performance.now();
    expect(schedule.request().startsInMs).toBe(0);
    await waitFor('the first run', () => startedAt.length === 1);
    await schedule.request().ended;
    expect(pauses(startedAt)).toHaveLength(1);
    expect((startedAt[1] ?? 0) - requestedAt).toBeGreaterThan(50 - TIMER_TOLERANCE_MS);
  });

  it('continues an unfinished run at once', async () => {
    const { schedule, startedAt } = open({ minIntervalMs: HOUR_MS }, (run) =>
      Promise.resolve(run < 3 ? { kind: 'unfinished' } : COMPLETED),
    );
    void schedule.request();
    await waitFor('three runs', () => startedAt.length === 3);
  });

  it('does not run before the time that the gateway names', async () => {
    const { schedule, startedAt } = open({}, (run) =>
      Promise.resolve(run > 1 ? COMPLETED : { kind: 'failed', retryAfterMs: 50 }),
    );
    await schedule.request().ended;
    await schedule.request().ended;
    expect(pauses(startedAt)[0]).toBeGreaterThan(50 - TIMER_TOLERANCE_MS);
  });

  it('runs again after a request during a run', async () => {
    let finish: () => void = () => undefined;
    const { schedule, startedAt } = open({}, (run) =>
      run > 1 ? Promise.resolve(COMPLETED) : new Promise((resolve) => (finish = () => resolve(COMPLETED))),
    );
    void schedule.request();
    await waitFor('the first run', () => startedAt.length === 1);
    const { ended } = schedule.request();
    finish();
    await ended;
    expect(startedAt).toHaveLength(2);
  });

  it('runs at the interval, repeats a failed run, and follows a new policy at once', async () => {
    const { schedule, startedAt } = open({}, (run) => Promise.resolve(run > 1 ? COMPLETED : FAILED));
    schedule.setPolicy({ ...EAGER, intervalMs: 10 });
    await waitFor('runs', () => startedAt.length >= 4);
  });

  it('aborts the current run when it stops, and then starts none', async () => {
    const { schedule, startedAt } = open({}, (_, stopping) => {
      return new Promise((resolve) => stopping.addEventListener('abort', () => resolve(FAILED)));
    });
    const { ended } = schedule.request();
    await waitFor('the run', () => startedAt.length === 1);
    await schedule.stop();
    await ended;
    await schedule.request().ended;
    expect(startedAt).toHaveLength(1);
  });
});
