import { isAlertReason } from '@ssb/events/problems';
import type { ProblemRow, SilenceMatchers } from '../../../api/operations.js';
import { listWords, toWords, uncapitalize } from '../../../format/names.js';
import { reasonOf } from '../fault-advice.js';
import { KIND_NAMES } from '../problem-titles.js';

/** What a silence of a problem covers unless the person changes it: its kind, and its participant. */
export function matchersFor(
  problem: Pick<ProblemRow, 'kind' | 'key' | 'participant' | 'figures'>,
): SilenceMatchers {
  const { kind, participant } = problem;
  const reason = reasonOf(problem);
  return {
    problems: [kind],
    ...(kind === 'bridge-fault' && isAlertReason(reason) && { reasons: [reason] }),
    // A silence with participants covers no event about all of them.
    ...(participant !== '*' && { participants: [participant] }),
  };
}

/** Without matchers that name nothing. */
export function withoutEmpty(matchers: SilenceMatchers): SilenceMatchers {
  return Object.fromEntries(
    Object.entries(matchers).filter(([, values]) => ((values ?? []) as readonly string[]).length > 0),
  );
}

export const coversNothing = (matchers: SilenceMatchers): boolean =>
  Object.keys(withoutEmpty(matchers)).length === 0;

/** What a silence covers, as in `trading margin, of WPGENCO`. */
export function describeMatchers(matchers: SilenceMatchers): string {
  const { problems = [], reasons = [], types = [], severities = [], participants = [] } = matchers;
  return [
    problems.length === 0
      ? 'everything'
      : listWords(
          problems.map((kind) => uncapitalize(KIND_NAMES[kind])),
          'or',
        ),
    reasons.length > 0 && `with the reason ${listWords(reasons.map(toWords), 'or')}`,
    types.length > 0 && `from events ${listWords(types, 'or')}`,
    severities.length > 0 && `of severity ${listWords(severities, 'or')}`,
    participants.length > 0 && `of ${listWords(participants, 'or')}`,
  ]
    .filter((part) => part !== false)
    .join(', ');
}

/** What a silence does, in sentences: what it hides first. */
export function explainSilence(matchers: SilenceMatchers): readonly string[] {
  const { problems = [], reasons = [], severities = [], participants = [] } = matchers;
  const coversFaults = problems.includes('bridge-fault') || reasons.length > 0;
  return [
    `No sink gets alerts, reminders, escalations or notices about: ${describeMatchers(matchers)}.`,
    ...(severities.length === 0 || severities.includes('critical')
      ? ['Critical ones are hidden, too. Sinks that audit silences still learn of them.']
      : []),
    ...(coversFaults ? [] : ['Faults of the bridge are still reported.']),
    ...(participants.length > 0 ? ['What concerns all participants is still reported.'] : []),
    'Events are still archived, and the problems stay in this console.',
    'When the silence ends, each sink gets one reminder of every problem that is still open and not acknowledged.',
  ];
}

/** Of a fault, a silence covers only what names its kind or reason; of all participants, only what names none. */
export function coversProblem(
  matchers: SilenceMatchers,
  problem: Pick<ProblemRow, 'kind' | 'key' | 'participant' | 'figures' | 'severity'>,
): boolean {
  const { problems, reasons, severities, participants, types } = withoutEmpty(matchers);
  const { kind, participant, severity } = problem;
  if (types !== undefined) return false;
  if (kind === 'bridge-fault' && problems === undefined && reasons === undefined) return false;
  const reason = kind === 'bridge-fault' ? reasonOf(problem) : undefined;
  return (
    (problems?.includes(kind) ?? true) &&
    (reasons?.some((each) => each === reason) ?? true) &&
    (severities?.includes(severity) ?? true) &&
    (participants?.includes(participant) ?? true)
  );
}
