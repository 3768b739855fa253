import type { EventIdentity, EventStore, KnownEvent } from './event-store.js';
import { DEFAULT_MAX_EVENTS, HandledEvents } from './handled-events.js';

export interface StoreOptions {
  /** Number of ids, and of subjects, that are kept. The oldest are removed. Default 100,000. */
  readonly maxEvents?: number;
}

/**
 * Keeps events in the memory of the process: nothing is durable. The bus still delivers no acknowledged message again. After a restart, a
 * repeat of an event that was handled before is handled again.
 */
export class MemoryStore implements EventStore {
  private readonly events: HandledEvents;

  constructor({ maxEvents = DEFAULT_MAX_EVENTS }: StoreOptions = {}) {
    this.events = new HandledEvents(maxEvents);
  }

  async open(): Promise<void> {}

  find(event: EventIdentity): Promise<KnownEvent> {
    return Promise.resolve(this.events.find(event));
  }

  save(event: EventIdentity): Promise<void> {
    this.events.add(event);
    return Promise.resolve();
  }

  async close(): Promise<void> {}
}
