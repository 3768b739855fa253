export { readDateHeader, type ClockReading } from './clock-reading.js';
export { escapeLine, escapeLines, toPrintable } from './printable.js';
export { backoffDelayMs, retry, type Backoff, type RetryOptions } from './retry.js';
export { PeriodicTask } from './periodic-task.js';
export { BodyTooLargeError, readBody, TimeoutError, withTimeout } from './limits.js';
export {
  readResponse,
  UnreadableEncodingError,
  WITHOUT_ENCODING,
  type EncodedResponse,
} from './read-response.js';
export { parseHttpDate, parseRetryAfter } from './retry-after.js';
