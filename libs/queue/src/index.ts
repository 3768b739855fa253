export {
  DEAD_LETTER_QUEUE,
  DEFAULT_PREFIX,
  EVENTS_QUEUE,
  EventQueue,
  openEventQueue,
  type QueueDepth,
} from './event-queue.js';
export {
  EventWorker,
  PublicationPostponedError,
  type EventWorkerOptions,
  type PublishAttempt,
  type Publisher,
  type PublishResult,
} from './event-worker.js';
export {
  DeadLetters,
  openDeadLetters,
  type DeadLetter,
  type FailedEvent,
  type ReplayResult,
} from './dead-letters.js';
