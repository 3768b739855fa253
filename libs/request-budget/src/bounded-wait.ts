/** What `within` answers when the time was over first. */
export const LATE = Symbol('late');

/**
 * Waits for the promise, but no longer than this. What it becomes later is let go.
 * @throws what the promise throws; the signal's reason once it is aborted
 */
export function within<T>(promise: Promise<T>, ms: number, signal?: AbortSignal): Promise<T | typeof LATE> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', aborted);
    };
    const aborted = (): void => {
      end();
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      end();
      resolve(LATE);
    }, ms);
    promise.then(resolve, reject).finally(end);
    if (signal?.aborted === true) aborted();
    signal?.addEventListener('abort', aborted, { once: true });
  });
}

/** @throws the signal's reason once it is aborted */
export async function pauseFor(ms: number, signal?: AbortSignal): Promise<void> {
  await within(new Promise<never>(() => undefined), ms, signal);
}
