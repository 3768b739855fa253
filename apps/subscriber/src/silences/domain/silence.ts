import { isSilenced, type SilenceFacts, type SilenceMatchers } from '@ssb/config';

/** For a time, the deliveries that match are withheld. It ends by itself, or a person ends it. */
export interface Silence {
  /** Number of the request that added it. */
  readonly silenceId: number;
  readonly matchers: SilenceMatchers;
  readonly startsAt: Date;
  readonly endsAt: Date;
  readonly author: string;
  readonly comment: string;
  /** When a person ended it before `endsAt`. */
  readonly ended:
    | { readonly at: Date; readonly by: string; readonly comment: string | undefined }
    | undefined;
}

/** When it is over. */
export const endOf = ({ endsAt, ended }: Silence): Date => ended?.at ?? endsAt;

/** @param now by the clock of the database */
export function isActive(silence: Silence, now: Date): boolean {
  return silence.startsAt <= now && now < endOf(silence);
}

/** The silences that cover an event. */
export function findCovering<S extends Pick<Silence, 'matchers'>>(
  silences: readonly S[],
  facts: SilenceFacts,
): S[] {
  return silences.filter(({ matchers }) => isSilenced(matchers, facts));
}
