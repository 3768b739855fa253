/** What a figure must reach. */
export type Goal = { readonly atLeast: number } | { readonly atMost: number } | { readonly below: number };

/** The goals of the bus: messages a second, milliseconds, a share, megabytes, addresses a second. */
export const GOALS = {
  published: { atLeast: 3_800 },
  publishedToNest: { atLeast: 1 / 3 },
  deliveryP50: { below: 5 },
  deliveryP99: { below: 20 },
  quietDelayed: { atMost: 20 },
  idleMemory: { below: 200 },
  recover: { atLeast: 12_000 },
} as const satisfies Record<string, Goal>;

export function isMet(goal: Goal, value: number): boolean {
  if ('atLeast' in goal) return value >= goal.atLeast;
  if ('atMost' in goal) return value <= goal.atMost;
  return value < goal.below;
}

/** The goal as a row of a table tells it: `≥ 3 800/s, met`. */
export function verdict(goal: Goal, value: number, write: (value: number) => string): string {
  const told = isMet(goal, value) ? 'met' : 'MISSED';
  if ('atLeast' in goal) return `≥ ${write(goal.atLeast)}, ${told}`;
  if ('atMost' in goal) return `≤ ${write(goal.atMost)}, ${told}`;
  return `< ${write(goal.below)}, ${told}`;
}
