import type { EventIdentity, EventStore } from '../src/consumer/event-store.js';
import { isReplay } from '../src/consumer/event-store.js';
import type { StoreOptions } from '../src/consumer/memory-store.js';

const at = (second: number): string => new Date(Date.UTC(2026, 2, 1, 0, 0, second)).toISOString();

/** Event number n of a subject, signed in second n. */
export function storedEvent(number: number, subject = 'WPGENCO/prudential'): EventIdentity {
  return {
    id: `${subject} ${number}`,
    subject,
    sequence: String(number).padStart(20, '0'),
    signedat: at(number),
  };
}

/** The contract of EventStore; each store's spec calls it once. */
export function describeEventStore(name: string, create: (options?: StoreOptions) => EventStore): void {
  describe(`${name} keeps the contract of EventStore`, () => {
    let stores: EventStore[];

    beforeEach(() => {
      stores = [];
    });

    afterEach(() => Promise.all(stores.map((store) => store.close())));

    async function open(options?: StoreOptions): Promise<EventStore> {
      const store = create(options);
      await store.open();
      stores.push(store);
      return store;
    }

    it('knows nothing of an event that it does not hold', async () => {
      const store = await open();
      expect(await store.find(storedEvent(1))).toEqual({
        isHeld: false,
        highestSequence: undefined,
        heldSince: undefined,
      });
    });

    it('holds a saved event, and the highest sequence of its subject', async () => {
      const store = await open();
      for (const number of [1, 3, 2]) await store.save(storedEvent(number));
      const highestSequence = storedEvent(3).sequence;
      expect(await store.find(storedEvent(2))).toMatchObject({ isHeld: true, highestSequence });
      expect(await store.find(storedEvent(4))).toMatchObject({ isHeld: false, highestSequence });
      expect(await store.find(storedEvent(2, 'OTHER/prudential'))).toMatchObject({
        isHeld: false,
        highestSequence: undefined,
      });
    });

    it('is not changed by a repeat, nor by a search', async () => {
      const store = await open({ maxEvents: 2 });
      await store.save(storedEvent(1));
      for (const number of [2, 2, 2]) await store.save(storedEvent(number));
      await store.find(storedEvent(3));
      expect(await store.find(storedEvent(1))).toMatchObject({ isHeld: true, heldSince: undefined });
    });

    it('removes the oldest ids above its bound, and says since when it holds ids', async () => {
      const store = await open({ maxEvents: 2 });
      for (const number of [1, 2, 3]) await store.save(storedEvent(number));
      const [removed, kept] = [await store.find(storedEvent(1)), await store.find(storedEvent(2))];
      expect([removed.isHeld, kept.isHeld]).toEqual([false, true]);
      expect(removed.heldSince?.getTime()).toBeGreaterThan(Date.parse(at(1)));
      expect(isReplay(storedEvent(1), removed)).toBe(true);
      expect(isReplay(storedEvent(4), await store.find(storedEvent(4)))).toBe(false);
    });

    it('recognises a replay of a subject that it removed', async () => {
      const store = await open({ maxEvents: 2 });
      for (const number of [1, 2, 3, 4]) await store.save(storedEvent(number, `subject ${number}`));
      const [old, young] = [storedEvent(1, 'subject 1'), storedEvent(9, 'subject 9')];
      expect(isReplay(old, await store.find(old))).toBe(true);
      expect(isReplay(young, await store.find(young))).toBe(false);
    });

    it('saves events of concurrent calls', async () => {
      const store = await open();
      await Promise.all([1, 2, 3, 4].map((number) => store.save(storedEvent(number))));
      const found = await Promise.all([1, 2, 3, 4].map((number) => store.find(storedEvent(number))));
      expect(found.every(({ isHeld }) => isHeld)).toBe(true);
    });
  });
}
