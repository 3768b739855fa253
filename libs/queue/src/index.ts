export {
  DEAD_LETTER_QUEUE,
  DEFAULT_PREFIX,
  EVENTS_QUEUE,
  EventQueue,
  openEventQueue,
  type QueueDepth,
} from './event-queue.js';
export {
  DeliveryPostponedError,
  EventWorker,
  isStuck,
  type DeliveryAttempt,
  type DeliveryResult,
  type EventWorkerOptions,
  type ProgressReading,
} from './event-worker.js';
export { DeadLetters, openDeadLetters, type DeadLetter, type ReplayResult } from './dead-letters.js';
