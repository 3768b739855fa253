import type { MarketDate, MarketDateTime } from '@ssb/market';
import { z } from 'zod';
import { shiftTo } from '../calendar/settlement-calendar.js';
import type { RunRule } from './scenario.js';

const branded = <T>(pattern: RegExp) => z.custom<T>((text) => typeof text === 'string' && pattern.test(text));

const progressSchema = z.object({
  seed: z.string(),
  /** The day on which the simulation began, from which the backlog counts. */
  anchor: branded<MarketDate>(/^\d{4}-\d\d-\d\d$/),
  /** Days by which the settlement calendar is later than its rules. Earlier releases had another calendar. */
  shift: z.int().min(0).max(6).optional(),
  /** How many positions of the wave were published. */
  positions: z.int().min(0),
  /** How many publications of the settlement calendar were published. */
  publications: z.int().min(0),
  /** How many statements were revised. */
  revisions: z.int().min(0).default(0),
  /** The stamp of the run that is being published. Saved first, so that after a crash the same statement is published again. */
  settling: z
    .object({ publishedAt: branded<MarketDateTime>(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/), runId: z.int() })
    .optional(),
});

/** How far an endless simulation in real time has come. */
export type Progress = z.output<typeof progressSchema>;

/** The state file holds other data, which must not be overwritten. */
export class UnreadableProgressError extends Error {
  override readonly name = 'UnreadableProgressError';
  readonly startFault = 'configuration';

  constructor(
    readonly path: string,
    options?: ErrorOptions,
  ) {
    super(`${path} does not hold the progress of a simulation; move it away to start again`, options);
  }
}

/** @throws UnreadableProgressError */
export function parseProgress(text: string, path: string): Progress {
  try {
    return progressSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw new UnreadableProgressError(path, { cause });
  }
}

/** The saved progress if it has this seed, else a new beginning with a calendar that fits today. */
export function resumeProgress(
  saved: Progress | undefined,
  seed: string,
  today: MarketDate,
  rules: readonly RunRule[],
): Progress {
  if (saved?.seed === seed) return saved;
  return { seed, anchor: today, shift: shiftTo(today, rules), positions: 0, publications: 0, revisions: 0 };
}
