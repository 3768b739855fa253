import { withTimeout } from '@ssb/net';
import { InvalidRequestError, ProblemException } from '@ssb/platform';

/** As long as a check of the app may take. */
const DEFAULT_TIMEOUT_MS = 2_000;

/**
 * Runs what a request of the management port needs from Redis.
 * @throws ProblemException 503 when Redis does not respond in time, and the errors of the work that are responses
 */
export async function reportUnreadableRedis<T>(
  work: () => Promise<T>,
  timeoutMs = DEFAULT_TIMEOUT_MS,
): Promise<T> {
  try {
    return await withTimeout(work(), timeoutMs);
  } catch (cause) {
    if (cause instanceof ProblemException || cause instanceof InvalidRequestError) throw cause;
    const problem = new ProblemException(503, 'Service unavailable', 'Redis does not respond.');
    problem.cause = cause;
    throw problem;
  }
}
