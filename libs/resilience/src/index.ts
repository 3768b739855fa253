export { backoffDelayMs, type Backoff } from './backoff.js';
export { readHttpDate, readRetryAfter } from './retry-after.js';
export { retry, type RetryOptions } from './retry.js';
