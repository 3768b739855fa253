/** How the command line wants the market played; the simulator itself judges the values. */
export interface PlayOptions {
  readonly speed?: string;
  readonly seed?: string;
  readonly from?: string;
  readonly until?: string;
}

/** The simulator's settings for it; what is not said stays at the simulator's default. Pure. */
export function playSettings({ speed, seed, from, until }: PlayOptions): Record<string, string> {
  const settings = { SPEED: speed, SEED: seed, FROM: from, UNTIL: until };
  return Object.fromEntries(
    Object.entries(settings).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
