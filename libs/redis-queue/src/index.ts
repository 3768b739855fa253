export {
  countEvents,
  isFinished,
  isSameRange,
  type BackfillFailure,
  type BackfillLeftOut,
  type BackfillProgress,
  type BackfillRange,
  type BackfillRequest,
  type ListedEvent,
} from './backfill/backfill.js';
export { BackfillStore, MAX_LISTED_EVENTS, type BackfillStoreOptions } from './backfill/backfill-store.js';
export { hashRecord, type RecordDescription, type StoredRecord } from './records/record.js';
export {
  RecordDamagedError,
  RecordReader,
  RecordStore,
  type PutResult,
  type RecordReaderOptions,
  type RecordStoreOptions,
  type Removal,
} from './records/record-store.js';
export type { BudgetStore } from './budget/budget-store.js';
export { InvalidBudgetError, type BudgetWindow } from './budget/budget-window.js';
export { MemoryBudgetStore } from './budget/memory-budget-store.js';
export { RedisBudgetStore, budgetKeys, type RedisBudgetOptions } from './budget/redis-budget-store.js';
export {
  BudgetExhaustedError,
  BudgetUnavailableError,
  RequestBudget,
  type RequestBudgetOptions,
  type RequestPermit,
} from './budget/request-budget.js';
export {
  DEAD_LETTER_QUEUE,
  DEFAULT_PREFIX,
  EVENTS_QUEUE,
  EventQueue,
  openEventQueue,
  type JobProgress,
  type QueueDepth,
  type QueueOptions,
} from './queue/event-queue.js';
export {
  EventWorker,
  PublicationPostponedError,
  RESERVED_CONCURRENCY,
  type EventWorkerOptions,
  type PublishAttempt,
  type Publisher,
} from './queue/event-worker.js';
export type { DeadLetter, RetryOptions, RetryResult } from './queue/dead-letters/dead-letter.js';
export { DeadLetters, openDeadLetters } from './queue/dead-letters/dead-letters.js';
export {
  DEAD_LETTER_CAUSES,
  type DeadLetterCause,
  type PublishResult,
} from './queue/domain/publish-result.js';
export type { Refusal, RefusedJob } from './queue/domain/refused-job.js';
export type { QueuedEvent } from './queue/event-authenticator.js';
export type { FailedEvent, FailedJobReports } from './queue/dead-letters/failed-jobs.js';
export {
  UNVERIFIED_LETTER_LIMITS,
  type UnverifiedLetterLimits,
} from './queue/dead-letters/unverified-letters.js';
export {
  AuthenticatedHash,
  type DiscardedValue,
  type DiscardReason,
  type Fence,
  type HashLimits,
  type HashReading,
  type VerifiedValue,
} from './redis/authenticated-hash.js';
export { connectRedis, type ConnectOptions } from './redis/connect.js';
export { onConnectionError, watchServer } from './redis/connection-events.js';
export { type RedisConnection, RedisSettingsError, type RedisSettings, settingOf } from './redis/servers.js';
export {
  explainConnectionError,
  type RedisConnectionError,
  RedisDatabaseError,
  RedisPermissionError,
  RedisRefusedError,
  RedisTlsError,
  RedisUnavailableError,
} from './redis/connection-errors.js';
export { checkDurability, UnsafeRedisError } from './redis/durability.js';
export { assertDatabase } from './redis/assert-database.js';
export { readRedisMemory, type RedisMemory } from './redis/memory.js';
export { RedisNotWritableError, assertWritableRedis } from './redis/writable.js';
export { readRedisClock } from './redis/redis-clock.js';
export { isWrongTypeError } from './redis/wrong-type.js';
export { DiscardedState } from './faults/discarded-state.js';
export {
  MAX_FAULTS,
  QueueFaultCarrier,
  type QueueFaultCarrierOptions,
} from './faults/queue-fault-carrier.js';
export { QueueFaultReporting, type QueueFaultReportingOptions } from './faults/queue-fault-reporting.js';
export { reportUnavailableQueue } from './faults/queue-outage.js';
export { observeQueue, QUEUE_METRICS, QueueReader, type QueueState } from './faults/queue-metrics.js';
