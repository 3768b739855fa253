/** When each process last confirmed that a fault lasts, epoch milliseconds by process id. */
export type Confirmations = Readonly<Record<string, number>>;

/** How often a process confirms its lasting faults. */
export const CONFIRMATION_INTERVAL_MS = 15_000;

/** How long a confirmation counts: three intervals. */
export const CONFIRMATION_LIFETIME_MS = 3 * CONFIRMATION_INTERVAL_MS;

/** A confirmation of a process whose clock is further ahead than this does not count. */
const MAX_AHEAD_MS = 300_000;
const MAX_CONFIRMATIONS = 20;

/** Records a confirmation, and drops those that no longer count. */
export function confirm(known: Confirmations = {}, processId: string, now: Date): Confirmations {
  const others = Object.entries(known).filter(([id, at]) => id !== processId && counts(at, now));
  const latest = others.toSorted(([, a], [, b]) => b - a).slice(0, MAX_CONFIRMATIONS - 1);
  return { ...Object.fromEntries(latest), [processId]: now.getTime() };
}

/** Removes the confirmation of one process. @returns `known` itself when it has none */
export function withdraw(known: Confirmations | undefined, processId: string): Confirmations | undefined {
  if (known?.[processId] === undefined) return known;
  return Object.fromEntries(Object.entries(known).filter(([id]) => id !== processId));
}

export function isConfirmed(known: Confirmations | undefined, now: Date): boolean {
  return Object.values(known ?? {}).some((at) => counts(at, now));
}

function counts(at: number, now: Date): boolean {
  const age = now.getTime() - at;
  return age < CONFIRMATION_LIFETIME_MS && age > -MAX_AHEAD_MS;
}
