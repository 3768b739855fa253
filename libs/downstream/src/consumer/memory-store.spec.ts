import { describeEventStore } from '../../test/event-store.conformance.js';
import { MemoryStore } from './memory-store.js';

describeEventStore('MemoryStore', (options) => new MemoryStore(options));

it.each([0, 1.5, -1, Number.NaN])('refuses a bound of %s events', (maxEvents) => {
  expect(() => new MemoryStore({ maxEvents })).toThrow(/maxEvents takes a whole number/);
});
