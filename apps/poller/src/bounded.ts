/**
 * Runs `work` on every item, at most `limit` at a time. A failure does not keep the others from being done.
 *
 * @param mayGoOn asked before each item, with what was thrown so far; items are left undone once it says no
 * @returns what was thrown, in no particular order
 */
export async function eachBounded<T>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<void>,
  mayGoOn: (failures: readonly unknown[]) => boolean = () => true,
): Promise<unknown[]> {
  const failures: unknown[] = [];
  const left = items.values();
  const worker = async (): Promise<void> => {
    for (const item of left) {
      if (!mayGoOn(failures)) return;
      try {
        await work(item);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  return failures;
}
