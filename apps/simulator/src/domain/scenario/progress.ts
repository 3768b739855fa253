import type { MarketDate, MarketDateTime } from '@ssb/market';
import { z } from 'zod';

const brand = <T>(pattern: RegExp) => z.custom<T>((text) => typeof text === 'string' && pattern.test(text));

const progressSchema = z.object({
  seed: z.string(),
  /** The day on which the simulation began: the backlog counts from it. */
  anchor: brand<MarketDate>(/^\d{4}-\d\d-\d\d$/),
  /** Positions of the wave that were published. */
  positions: z.int().min(0),
  /** Publications of the backlog that were published. */
  publications: z.int().min(0),
  /** Saved before a run is published for the first time: after a crash the same statement is published again, not another one. */
  settling: z
    .object({ publishedAt: brand<MarketDateTime>(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/), runId: z.int() })
    .optional(),
});

/** How far an endless simulation in real time has come. */
export type Progress = z.output<typeof progressSchema>;

/** The state file holds something else than progress; it must be looked at before it is overwritten. */
export class UnreadableProgressError extends Error {
  override readonly name = 'UnreadableProgressError';

  constructor(
    readonly path: string,
    options?: ErrorOptions,
  ) {
    super(`${path} does not hold the progress of a simulation; move it away to begin anew`, options);
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

/** The saved progress, or the beginning when there is none of this seed. */
export function resumedProgress(saved: Progress | undefined, seed: string, today: MarketDate): Progress {
  if (saved?.seed === seed) return saved;
  return { seed, anchor: today, positions: 0, publications: 0 };
}
