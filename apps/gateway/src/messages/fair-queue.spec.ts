import fc from 'fast-check';
import { FairQueue, type BatchLimit } from './batch-scheduler.js';

interface Waiting {
  readonly channel: string;
  readonly number: number;
  readonly bytes: number;
}

const waiting = fc
  .array(fc.record({ channel: fc.constantFrom('a', 'b', 'c', 'd'), bytes: fc.nat(500) }), {
    maxLength: 80,
  })
  .map((all) => all.map((each, number): Waiting => ({ ...each, number })));
const limit = fc.record({ messages: fc.integer({ min: 1, max: 10 }), bytes: fc.nat(1_000) });

function lineOf(all: readonly Waiting[]): FairQueue<Waiting> {
  const line = new FairQueue<Waiting>();
  for (const each of all) line.add(each.channel, each, each.bytes);
  return line;
}

function takeAll(line: FairQueue<Waiting>, bound: BatchLimit): Waiting[][] {
  const loads: Waiting[][] = [];
  while (line.length > 0) loads.push(line.take(bound));
  return loads;
}

const bytesOf = (load: readonly Waiting[]): number => load.reduce((sum, { bytes }) => sum + bytes, 0);

describe('the line of outgoing messages', () => {
  it('gives out each message once, those of a channel in their order', () => {
    fc.assert(
      fc.property(waiting, limit, (all, bound) => {
        const taken = takeAll(lineOf(all), bound).flat();
        for (const name of ['a', 'b', 'c', 'd']) {
          const ofChannel = (list: readonly Waiting[]) => list.filter(({ channel }) => channel === name);
          expect(ofChannel(taken)).toEqual(ofChannel(all));
        }
      }),
    );
  });

  it('keeps both bounds, but for one message that is larger by itself', () => {
    fc.assert(
      fc.property(waiting, limit, (all, bound) => {
        for (const load of takeAll(lineOf(all), bound)) {
          expect(load.length).toBeGreaterThan(0);
          expect(load.length).toBeLessThanOrEqual(bound.messages);
          if (load.length > 1) expect(bytesOf(load)).toBeLessThanOrEqual(bound.bytes);
        }
      }),
    );
  });

  it('knows what waits', () => {
    fc.assert(
      fc.property(waiting, limit, (all, bound) => {
        const line = lineOf(all);
        const left = new Set(all);
        while (line.length > 0) {
          for (const each of line.take(bound)) left.delete(each);
          expect([line.length, line.bytes]).toEqual([left.size, bytesOf([...left])]);
        }
      }),
    );
  });

  it('takes one of each channel before a second of any', () => {
    fc.assert(
      fc.property(waiting, fc.integer({ min: 1, max: 10 }), (all, messages) => {
        const [load = []] = takeAll(lineOf(all), { messages, bytes: Infinity });
        const waits = new Set(all.map(({ channel }) => channel)).size;
        const carried = new Set(load.map(({ channel }) => channel)).size;
        expect(carried).toBe(Math.min(waits, load.length));
      }),
    );
  });

  it('has a quiet channel wait for no more than the other channels’ turns', () => {
    const line = new FairQueue<string>();
    for (let number = 0; number < 1_000; number += 1) line.add('busy', `busy ${number}`, 1);
    expect(line.take({ messages: 2, bytes: 100 })).toEqual(['busy 0', 'busy 1']);
    line.add('quiet', 'quiet', 1);
    expect(line.take({ messages: 2, bytes: 100 })).toEqual(['busy 2', 'quiet']);
  });

  it('lets a channel whose message did not fit go first in the next load', () => {
    const line = new FairQueue<string>();
    line.add('a', 'small', 10);
    line.add('b', 'large', 95);
    line.add('a', 'small too', 10);
    const bound = { messages: 10, bytes: 100 };
    expect([line.take(bound), line.take(bound), line.take(bound)]).toEqual([
      ['small'],
      ['large'],
      ['small too'],
    ]);
  });
});
