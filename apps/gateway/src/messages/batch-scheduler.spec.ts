import fc from 'fast-check';
import { BatchScheduler, type Batch } from './batch-scheduler.js';

function createScheduler(
  ...waiting: readonly (readonly [channel: string, count: number])[]
): BatchScheduler<string> {
  const scheduler = new BatchScheduler<string>();
  for (const [channel, count] of waiting) {
    for (let number = 0; number < count; number += 1) scheduler.add(channel, `${channel} ${number}`, 1);
  }
  return scheduler;
}

/** Every batch that may be sent now. */
function takeAll(scheduler: BatchScheduler<string>): Batch<string>[] {
  const batches: Batch<string>[] = [];
  for (let batch = scheduler.next(); batch; batch = scheduler.next()) batches.push(batch);
  return batches;
}

describe('the batch scheduler', () => {
  it('has three batches of a busy channel in flight, and a fourth when one is complete', () => {
    const scheduler = createScheduler(['busy', 200]);
    const [first, ...others] = takeAll(scheduler);
    expect([first, ...others].map((batch) => batch?.items.length)).toEqual([16, 16, 16]);
    expect(scheduler.waiting).toBe(152);
    if (first) scheduler.complete(first);
    const fourth = scheduler.next();
    expect([fourth?.items[0], fourth?.items.length, scheduler.next()]).toEqual(['busy 48', 16, undefined]);
  });

  it('sends messages of a quiet channel at once, without those of a busy one', () => {
    const scheduler = createScheduler(['busy', 200]);
    takeAll(scheduler);
    scheduler.add('quiet', 'quiet 0', 1);
    scheduler.add('busy', 'busy 200', 1);
    expect(takeAll(scheduler).map(({ items }) => items)).toEqual([['quiet 0']]);
  });

  it('combines all quiet channels in one batch', () => {
    const scheduler = createScheduler(['busy', 200]);
    takeAll(scheduler);
    for (const channel of ['a', 'b', 'a', 'c']) scheduler.add(channel, channel, 1);
    expect(scheduler.next()?.items).toEqual(['a', 'b', 'c', 'a']);
  });

  it('has at most eight batches in flight, sends each message once and leaves none waiting', () => {
    const step = fc.oneof(
      fc.record({ add: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j') }),
      fc.record({ end: fc.nat(7) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
        const scheduler = new BatchScheduler<number>();
        const inFlight: Batch<number>[] = [];
        const sent: number[] = [];
        const send = (): void => {
          for (let batch = scheduler.next(); batch; batch = scheduler.next()) {
            inFlight.push(batch);
            sent.push(...batch.items);
          }
          expect(inFlight.length).toBeLessThanOrEqual(8);
          // A message waits only at a limit.
          if (scheduler.waiting > 0) expect(inFlight.length).toBeGreaterThanOrEqual(3);
        };
        const end = (index: number): void => {
          for (const batch of inFlight.splice(index, 1)) scheduler.complete(batch);
        };
        let added = 0;
        for (const each of steps) {
          if ('add' in each) scheduler.add(each.add, added++, 1);
          else end(each.end);
          send();
        }
        while (inFlight.length > 0) {
          end(0);
          send();
        }
        expect(sent.sort((a, b) => a - b)).toEqual(Array.from({ length: added }, (_, number) => number));
      }),
    );
  });
});
