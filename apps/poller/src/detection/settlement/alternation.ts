import { z } from 'zod';

/*
 * An operator whose systems are out of step serves two versions in turn. The first change to a version and the first one back are raised at
 * once. The same change once more is a return: it is held until the version was in every response of CONFIRMATION_MS, and the alternation is
 * reported until the versions were stable for QUIET_MS. Any other change is raised at once.
 */

/** How long a returned version is served without another one, before its change is raised again. */
export const CONFIRMATION_MS = 3_600_000;

/** After this long without the other version, the alternation has ended. It is longer than any interval of requests. */
const QUIET_MS = 36 * 3_600_000;

export const alternation = z.object({
  /** The change that is held; absent while the announced version is served. */
  held: z.string().optional(),
  /** Since when each response has had the held version. */
  since: z.iso.datetime().optional(),
  /** When a version was last held, or raised after it was held. */
  seenAt: z.iso.datetime(),
});

export type Alternation = Readonly<z.infer<typeof alternation>>;

export interface Return {
  readonly alternation: Alternation;
  /** Whether the change may be raised. */
  readonly isConfirmed: boolean;
}

/** A response has a change that was announced before. */
export function decideReturn(known: Alternation | undefined, change: string, now: Date): Return {
  const at = now.toISOString();
  const isContinued = known?.held === change && known.since !== undefined && known.since <= at;
  const since = isContinued ? known.since : at;
  if (now.getTime() - Date.parse(since ?? at) >= CONFIRMATION_MS)
    return { alternation: { seenAt: at }, isConfirmed: true };
  return { alternation: { held: change, since, seenAt: at }, isConfirmed: false };
}

/** A response has the announced version. @returns undefined without an alternation, or when it has ended */
export function continueAlternation(known: Alternation | undefined, now: Date): Alternation | undefined {
  if (known === undefined || now.getTime() - Date.parse(known.seenAt) >= QUIET_MS) return undefined;
  return { seenAt: known.seenAt };
}
