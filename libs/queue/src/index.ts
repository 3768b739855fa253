export { DEAD_LETTER_QUEUE, DEFAULT_PREFIX, EVENTS_QUEUE } from './names.js';
export { EventQueue, openEventQueue, type QueueDepth } from './event-queue.js';
export { EventWorker, type Attempt, type EventWorkerOptions } from './event-worker.js';
export { DeliveryPostponedError, type Handled } from './handled.js';
export { DeadLetters, openDeadLetters, type DeadLetter, type Replay } from './dead-letters.js';
export { isStuck, waitingSince, type JobTimes, type ProgressReading } from './waiting-since.js';
