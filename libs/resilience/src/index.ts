export { readDateHeader, type ClockReading } from './clock-reading.js';
export { backoffDelayMs, retry, type Backoff, type RetryOptions } from './retry.js';
export { PeriodicTask } from './periodic-task.js';
export { BodyTooLargeError, readBody, TimeoutError, withTimeout } from './limits.js';
export { parseHttpDate, parseRetryAfter } from './retry-after.js';
