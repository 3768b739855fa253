/** What a probe or a scrape waits for: shorter than the time-outs of those that ask. */
const TIMEOUT_MS = 2_000;

/**
 * The result of the work, which goes on by itself when it takes longer.
 * @throws what the work throws; Error when there is no answer within two seconds
 */
export async function answerInTime<T>(work: () => T | Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${TIMEOUT_MS} ms`)), TIMEOUT_MS);
  });
  try {
    return await Promise.race([Promise.resolve().then(work), expired]);
  } finally {
    clearTimeout(timer);
  }
}
