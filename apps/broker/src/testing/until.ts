import { waitFor } from '@ssb/testing';

/** Looks until the value fulfils the condition, and returns it. */
export async function until<T>(
  look: () => T | Promise<T>,
  holds: (value: T) => boolean,
  timeoutMs?: number,
): Promise<T> {
  const found = await waitFor(
    'a condition of this test',
    async () => {
      const value = await look();
      return holds(value) && { value };
    },
    timeoutMs,
  );
  return found.value;
}
