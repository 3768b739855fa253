import {
  findMatchingRules,
  findWithholding,
  isCritical,
  isNotice,
  isSilenced,
  type OperatorConfig,
  type SilenceFacts,
  type SilenceMatchers,
} from '@ssb/config';
import type { SilenceRow } from '../api/operations.js';
import { shortId, showTime } from '../output/text.js';

/** Kind of the first delivery of an event, as `bridge-kind` has it. */
export type ExplainedKind = 'alert' | 'notice' | 'resolved';

/** A sink that would not be sent the event, and why. */
export interface Withheld {
  readonly sink: string;
  readonly reason: 'muted' | 'silenced' | 'grouped';
  /** In a few words. */
  readonly because: string;
}

export interface WithheldContext {
  readonly kind: ExplainedKind;
  readonly at: Date;
  /** Those that apply at that time. */
  readonly silences: readonly SilenceRow[];
}

/** From which sinks rules and silences withhold an event. The end of a problem is never silenced by itself. */
export function findWithheld(
  config: Pick<OperatorConfig, 'alerts'>,
  facts: SilenceFacts,
  sinks: readonly string[],
  { kind, at, silences }: WithheldContext,
): Withheld[] {
  const covering = silences.filter(({ matchers }) => isSilenced(matchers as SilenceMatchers, facts));
  if (covering.length > 0 && kind !== 'resolved') {
    const because = covering.map(describe).join('; ');
    return sinks.map((sink) => ({ sink, reason: 'silenced', because }));
  }
  const rules = findMatchingRules(config, facts);
  return sinks.flatMap((sink): Withheld[] => {
    const own = rules.filter((rule) => rule.sinks.includes(sink));
    const reason = findWithholding(own, {
      at,
      isCritical: isCritical(facts.severity, facts.type),
      isNotice: isNotice(kind, facts.severity),
    });
    return reason === 'muted' || reason === 'grouped' ? [{ sink, reason, because: BECAUSE[reason] }] : [];
  });
}

const BECAUSE = {
  muted: 'every rule that names it is muted',
  grouped: 'it is sent in a digest, because no rule that names it sends it at once',
} as const;

function describe({ id, author, endsAt }: SilenceRow): string {
  return `silence ${shortId(id)} of ${author} until ${showTime(endsAt)}`;
}
