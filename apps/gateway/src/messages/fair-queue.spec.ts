import fc from 'fast-check';
import { FairQueue, type BatchLimit } from './fair-queue.js';

interface TestItem {
  readonly channel: string;
  readonly number: number;
  readonly bytes: number;
}

const items = fc
  .array(fc.record({ channel: fc.constantFrom('a', 'b', 'c', 'd'), bytes: fc.nat(500) }), {
    maxLength: 80,
  })
  .map((all) => all.map((each, number): TestItem => ({ ...each, number })));
const limit = fc.record({ messages: fc.integer({ min: 1, max: 10 }), bytes: fc.nat(1_000) });

function createQueue(all: readonly TestItem[]): FairQueue<TestItem> {
  const queue = new FairQueue<TestItem>();
  for (const each of all) queue.add(each.channel, each, each.bytes);
  return queue;
}

function takeAll(queue: FairQueue<TestItem>, bound: BatchLimit): TestItem[][] {
  const batches: TestItem[][] = [];
  while (queue.length > 0) batches.push(queue.take(bound));
  return batches;
}

const countBytes = (batch: readonly TestItem[]): number => batch.reduce((sum, { bytes }) => sum + bytes, 0);

describe('a fair queue', () => {
  it('returns each item once, those of a channel in their order', () => {
    fc.assert(
      fc.property(items, limit, (all, bound) => {
        const taken = takeAll(createQueue(all), bound).flat();
        for (const name of ['a', 'b', 'c', 'd']) {
          const ofChannel = (list: readonly TestItem[]) => list.filter(({ channel }) => channel === name);
          expect(ofChannel(taken)).toEqual(ofChannel(all));
        }
      }),
    );
  });

  it('keeps both bounds, except for a single item that exceeds them', () => {
    fc.assert(
      fc.property(items, limit, (all, bound) => {
        for (const batch of takeAll(createQueue(all), bound)) {
          expect(batch.length).toBeGreaterThan(0);
          expect(batch.length).toBeLessThanOrEqual(bound.messages);
          if (batch.length > 1) expect(countBytes(batch)).toBeLessThanOrEqual(bound.bytes);
        }
      }),
    );
  });

  it('takes one of each channel before a second of any', () => {
    fc.assert(
      fc.property(items, fc.integer({ min: 1, max: 10 }), (all, messages) => {
        const [batch = []] = takeAll(createQueue(all), { messages, bytes: Infinity });
        const queued = new Set(all.map(({ channel }) => channel)).size;
        const taken = new Set(batch.map(({ channel }) => channel)).size;
        expect(taken).toBe(Math.min(queued, batch.length));
      }),
    );
  });

  it('begins the next batch with the channel whose item did not fit', () => {
    const queue = new FairQueue<string>();
    queue.add('a', 'small', 10);
    queue.add('b', 'large', 95);
    queue.add('a', 'small too', 10);
    const bound = { messages: 10, bytes: 100 };
    expect([queue.take(bound), queue.take(bound), queue.take(bound)]).toEqual([
      ['small'],
      ['large'],
      ['small too'],
    ]);
  });
});
