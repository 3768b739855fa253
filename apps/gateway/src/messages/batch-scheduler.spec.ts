import fc from 'fast-check';
import { BatchScheduler, type Load } from './batch-scheduler.js';

function loadsOf(...waiting: readonly (readonly [channel: string, count: number])[]): BatchScheduler<string> {
  const loads = new BatchScheduler<string>();
  for (const [channel, count] of waiting) {
    for (let number = 0; number < count; number += 1) loads.add(channel, `${channel} ${number}`, 1);
  }
  return loads;
}

/** As many as go at once. */
function allNext(loads: BatchScheduler<string>): Load<string>[] {
  const all: Load<string>[] = [];
  for (let load = loads.next(); load; load = loads.next()) all.push(load);
  return all;
}

describe('the loads of requests to the broker', () => {
  it('sends a lone message at once', () => {
    expect(loadsOf(['a', 1]).next()?.items).toEqual(['a 0']);
  });

  it('has three requests of a busy channel under way, and a fourth when one has ended', () => {
    const loads = loadsOf(['busy', 200]);
    const [first, ...others] = allNext(loads);
    expect([first, ...others].map((load) => load?.items.length)).toEqual([16, 16, 16]);
    expect(loads.waiting).toBe(152);
    if (first) loads.ended(first);
    const fourth = loads.next();
    expect([fourth?.items[0], fourth?.items.length, loads.next()]).toEqual(['busy 48', 16, undefined]);
  });

  it('sends what comes on a quiet channel at once, and by itself, though a busy one waits', () => {
    const loads = loadsOf(['busy', 200]);
    allNext(loads);
    loads.add('quiet', 'quiet 0', 1);
    loads.add('busy', 'busy 200', 1);
    expect(allNext(loads).map(({ items }) => items)).toEqual([['quiet 0']]);
  });

  it('lets no message on a quiet channel wait for the one before, up to three', () => {
    const loads = loadsOf(['busy', 200]);
    allNext(loads);
    const sent = ['quiet 0', 'quiet 1', 'quiet 2', 'quiet 3'].flatMap((item) => {
      loads.add('quiet', item, 1);
      return allNext(loads).map(({ items }) => items);
    });
    expect(sent).toEqual([['quiet 0'], ['quiet 1'], ['quiet 2']]);
  });

  it('serves the channel that fewer requests carry before another, whichever waits longer', () => {
    const loads = loadsOf(['busy', 40]);
    const [first] = [loads.next(), loads.next()];
    loads.add('quiet', 'quiet 0', 1);
    expect(loads.next()?.items).toEqual(['quiet 0']);
    expect(loads.next()?.items).toHaveLength(8);
    if (first) loads.ended(first);
    loads.add('busy', 'busy 40', 1);
    loads.add('quiet', 'quiet 1', 1);
    expect(allNext(loads).map(({ items }) => items)).toEqual([['quiet 1'], ['busy 40']]);
  });

  it('has all quiet channels share one such request', () => {
    const loads = loadsOf(['busy', 200]);
    allNext(loads);
    for (const channel of ['a', 'b', 'a', 'c']) loads.add(channel, channel, 1);
    expect(loads.next()?.items).toEqual(['a', 'b', 'c', 'a']);
  });

  it('never has more than eight under way, gives each message out once and leaves none waiting', () => {
    const step = fc.oneof(
      fc.record({ add: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j') }),
      fc.record({ end: fc.nat(7) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
        const loads = new BatchScheduler<number>();
        const underWay: Load<number>[] = [];
        const given: number[] = [];
        const send = (): void => {
          for (let load = loads.next(); load; load = loads.next()) {
            underWay.push(load);
            given.push(...load.items);
          }
          expect(underWay.length).toBeLessThanOrEqual(8);
          // Something waits only while it has to.
          if (loads.waiting > 0) expect(underWay.length).toBeGreaterThanOrEqual(3);
        };
        const end = (place: number): void => {
          for (const load of underWay.splice(place, 1)) loads.ended(load);
        };
        let added = 0;
        for (const each of steps) {
          if ('add' in each) loads.add(each.add, added++, 1);
          else end(each.end);
          send();
        }
        while (underWay.length > 0) {
          end(0);
          send();
        }
        expect(given.sort((a, b) => a - b)).toEqual(Array.from({ length: added }, (_, number) => number));
      }),
    );
  });
});
