export {
  countEvents,
  isFinished,
  type BackfillFailure,
  type BackfillLeftOut,
  type BackfillProgress,
  type BackfillRange,
  type BackfillRequest,
  type ListedEvent,
} from './backfill/backfill.js';
export { BackfillStore, MAX_LISTED_EVENTS } from './backfill/backfill-store.js';
export {
  findRangeProblem,
  marketDateOf,
  startBackfill,
  type BackfillStart,
} from './backfill/start-backfill.js';
export {
  RecordDamagedError,
  RecordReader,
  RecordStore,
  type Removal,
  type StoredRecord,
} from './records/record-store.js';
export { type BudgetWindow } from './budget/budget-window.js';
export { RedisBudgetStore, budgetKeys } from './budget/redis-budget-store.js';
export { BudgetExhaustedError, RequestBudget, type RequestPermit } from './budget/request-budget.js';
export { EventQueue, openEventQueue } from './queue/event-queue.js';
export { EVENTS_QUEUE } from './queue/open-queue.js';
export { type JobProgress } from './queue/queue-state.js';
export {
  EventWorker,
  RESERVED_CONCURRENCY,
  type PublishAttempt,
  type Publisher,
} from './queue/event-worker.js';
export type { DeadLetter, RetryResult } from './queue/dead-letters/dead-letter.js';
export {
  describeLetter,
  letterPageQuery,
  letterRetryBody,
  pageOfLetters,
  type DeadLetterSummary,
} from './queue/dead-letters/letter-pages.js';
export { DeadLetters, openDeadLetters } from './queue/dead-letters/dead-letters.js';
export {
  DEAD_LETTER_CAUSES,
  type DeadLetterCause,
  type PublishResult,
} from './queue/domain/publish-result.js';
export type { RefusedJob } from './queue/domain/refused-job.js';
export type { FailedEvent, FailedJobReports } from './queue/dead-letters/failed-jobs.js';
export {
  UNVERIFIED_LETTER_LIMITS,
  type UnverifiedLetterLimits,
} from './queue/dead-letters/unverified-letters.js';
export * from './redis/index.js';
export { QueueFaultReporting } from './faults/queue-fault-reporting.js';
export { reportUnavailableQueue } from './faults/queue-outage.js';
export { observeQueue, QUEUE_METRICS, QueueReader, type QueueState } from './faults/queue-reader.js';
