import type { MarketDate, MarketDateTime } from '@ssb/market';
import { z } from 'zod';

/**
 * How far an endless play has come. `settling` is noted before a statement is sent for the first time, so that after a
 * crash the very same statement is sent again, and not another one beside it.
 */
export interface Progress {
  seed: string;
  /** The day on which the play began: the backlog counts from it. */
  anchor: MarketDate;
  /** Positions of the wave that were published. */
  positions: number;
  /** Publications of the backlog that were published. */
  publications: number;
  settling?: { publishedAt: MarketDateTime; runId: number } | undefined;
}

const brand = <T>(pattern: RegExp) => z.custom<T>((text) => typeof text === 'string' && pattern.test(text));

const progressSchema = z.object({
  seed: z.string(),
  anchor: brand<MarketDate>(/^\d{4}-\d\d-\d\d$/),
  positions: z.int().min(0),
  publications: z.int().min(0),
  settling: z
    .object({ publishedAt: brand<MarketDateTime>(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/), runId: z.int() })
    .optional(),
}) satisfies z.ZodType<Progress>;

/** A state file holds something else than progress: whose it is must be looked into before it is overwritten. */
export class UnreadableProgressError extends Error {
  override readonly name = 'UnreadableProgressError';

  constructor(
    readonly path: string,
    options?: ErrorOptions,
  ) {
    super(`${path} does not hold the progress of a play; move it away to begin anew`, options);
  }
}

/** @throws UnreadableProgressError */
export function readProgress(text: string, path: string): Progress {
  try {
    return progressSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw new UnreadableProgressError(path, { cause });
  }
}

/** Where a play stands: where it left off, or at its beginning when it is another play or there was none. */
export function takeUp(saved: Progress | undefined, seed: string, today: MarketDate): Progress {
  if (saved?.seed === seed) return saved;
  return { seed, anchor: today, positions: 0, publications: 0 };
}

/** When the next calculation was made: each in a second of its own, because that is what tells them apart. */
export function nextCalculationAt(now: Date, last: Date | undefined): Date {
  return last === undefined ? now : new Date(Math.max(now.getTime(), last.getTime() + 1_000));
}
