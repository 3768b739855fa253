/** Lets work that runs at once, and might not end, take no longer than some time. */
export interface TimeLimit {
  /**
   * Does the work and waits for it; nothing else runs meanwhile. A failure of the work is thrown on.
   * @param kind work of the same kind is not even begun for a while after one took too long
   * @returns undefined when it took too long and was ended somewhere in its middle, or was not begun
   */
  run<T>(kind: string, work: () => T): { readonly value: T } | undefined;
}
