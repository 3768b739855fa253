import { createHash } from 'node:crypto';
import { canonicalJson } from '@ssb/identity';
import type { DetectionSettings } from '@ssb/config';
import { z } from 'zod';

/** By participant, then by key of the configuration, such as `margin`: a digest of the settings. */
export type SettingsDigests = Readonly<Record<string, Readonly<Record<string, string>>>>;

const digestsSchema = z.record(z.string(), z.record(z.string(), z.string()));

/** @returns undefined when the text is not of this release */
export function parseDigests(text: string): SettingsDigests | undefined {
  try {
    return digestsSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Digests of the effective settings, so that an equal file with other comments is equal. */
export function digestSettings(settings: DetectionSettings): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries<object>({ ...settings }).map(([key, value]) => [key, digestOf(value)]),
  );
}

function digestOf(value: object): string {
  const text = canonicalJson(
    JSON.parse(JSON.stringify(value, (_, each: unknown) => (each instanceof Set ? [...each].sort() : each))),
  );
  return createHash('sha256').update(text).digest('base64url').slice(0, 16);
}

/** A replica with other settings that has ended may come back: its thresholds stay in force for this time. */
const HOLD_MS = 5 * 60_000;

/** What is known about the settings of a participant on the other replicas. */
interface Known {
  /** By holder: the keys that differ. */
  readonly differing: ReadonlyMap<string, readonly string[]>;
  /** Since when a replica with other settings is missing, by the clock of `performance`; undefined while none is missing. */
  readonly missingSince: number | undefined;
}

/**
 * Whether the replicas detect the facts of a participant with the same settings. While they do not, the settings with which the present
 * level was decided stay in force, so that a change of the leader changes no level.
 */
export class SettingsAgreement {
  private known = new Map<string, Known>();

  /** @param elapsedMs a clock that is never set */
  constructor(private readonly elapsedMs: () => number = () => performance.now()) {}

  /** Applies what the live replicas have registered. @param others by holder, without this replica */
  update(own: SettingsDigests, others: ReadonlyMap<string, SettingsDigests>): void {
    const now = this.elapsedMs();
    this.known = new Map(
      Object.entries(own).map(([code, settings]) => {
        const differing = new Map<string, readonly string[]>();
        for (const [holder, registered] of others) {
          const keys = listDifferences(settings, registered[code]);
          if (keys.length > 0) differing.set(holder, keys);
        }
        const before = this.known.get(code);
        const ended = [...(before?.differing.keys() ?? [])].some((holder) => !others.has(holder));
        const missingSince = ended ? now : before?.missingSince;
        const isConfirmed = [...others].some(([holder, { [code]: each }]) => each && !differing.has(holder));
        const isOver = missingSince === undefined || isConfirmed || now - missingSince >= HOLD_MS;
        return [code, { differing, missingSince: isOver ? undefined : missingSince }];
      }),
    );
  }

  /** Whether changed settings of the participant apply. */
  isReached(participant: string): boolean {
    const known = this.known.get(participant);
    return known === undefined || (known.differing.size === 0 && known.missingSince === undefined);
  }

  /** Why changed settings do not apply; undefined when they do. */
  describe(participant: string): string | undefined {
    const known = this.known.get(participant);
    if (known === undefined || this.isReached(participant)) return undefined;
    const { differing } = known;
    if (differing.size === 0)
      return 'A replica with other settings has ended; the thresholds of the present level stay in force for five minutes.';
    const replicas = [...differing].map(([holder, keys]) => `${holder} (${keys.join(', ')})`);
    return `These replicas have other settings than this one: ${replicas.slice(0, 3).join('; ')}. The thresholds of the present level stay in force until all are equal.`;
  }
}

/** The keys with other settings. A replica that does not poll the participant has none. */
function listDifferences(
  own: Readonly<Record<string, string>>,
  other: Readonly<Record<string, string>> | undefined,
): string[] {
  if (other === undefined) return [];
  return [...new Set([...Object.keys(own), ...Object.keys(other)])].filter((key) => own[key] !== other[key]);
}
