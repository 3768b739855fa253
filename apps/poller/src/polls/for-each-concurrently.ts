import { Semaphore } from 'async-mutex';

/**
 * Runs `work` on every item, at most `limit` at a time. A failure does not stop the other items.
 *
 * @param mayContinue called before each item with the failures so far; once it returns false, the remaining items are skipped
 * @returns the failures, in no particular order
 */
export async function forEachConcurrently<T>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<void>,
  mayContinue: (failures: readonly unknown[]) => boolean = () => true,
): Promise<unknown[]> {
  const failures: unknown[] = [];
  const semaphore = new Semaphore(limit);
  const runOne = async (item: T): Promise<void> => {
    if (!mayContinue(failures)) return;
    try {
      await work(item);
    } catch (error) {
      failures.push(error);
    }
  };
  await Promise.all(items.map((item) => semaphore.runExclusive(() => runOne(item))));
  return failures;
}
