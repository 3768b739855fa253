export * from './verify.js';
export { Consumer } from './consumer/consumer.js';
export {
  ChannelRefusedError,
  ConnectionRefusedError,
  ConsumerError,
  InvalidOptionError,
  ProcessingFailedError,
  SupersededError,
} from './consumer/consumer-errors.js';
export type {
  ConsumerFault,
  ConsumerOptions,
  ConsumerState,
  EventContext,
  OutdatedEvent,
  ReceivedEvent,
  RefusedMessage,
} from './consumer/consumer-options.js';
export type { EventIdentity, EventStore, KnownEvent } from './consumer/event-store.js';
export { FileStore, StoreUnusableError } from './consumer/file-store.js';
export {
  UnknownEventNameError,
  type EventName,
  type EventOf,
  type EventPattern,
  type TypesOf,
} from './consumer/handlers.js';
export { MemoryStore, type StoreOptions } from './consumer/memory-store.js';
export type { EventType, SignedEvent } from '@ssb/events';
