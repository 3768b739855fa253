export {
  DEAD_LETTER_QUEUE,
  DEFAULT_PREFIX,
  EVENTS_QUEUE,
  EventQueue,
  openEventQueue,
  type JobProgress,
  type QueueDepth,
  type QueueOptions,
} from './event-queue.js';
export {
  EventWorker,
  PublicationPostponedError,
  RESERVED_CONCURRENCY,
  type EventWorkerOptions,
  type PublishAttempt,
  type Publisher,
} from './event-worker.js';
export {
  DeadLetters,
  openDeadLetters,
  type DeadLetter,
  type RetryOptions,
  type RetryResult,
} from './dead-letters.js';
export { DEAD_LETTER_CAUSES, type DeadLetterCause, type PublishResult } from './domain/publish-result.js';
export type { Refusal, RefusedJob } from './domain/refused-job.js';
export type { QueuedEvent } from './event-authenticator.js';
export type { FailedEvent, FailedJobReports } from './failed-jobs.js';
export { UNVERIFIED_LETTER_LIMITS, type UnverifiedLetterLimits } from './unverified-letters.js';
