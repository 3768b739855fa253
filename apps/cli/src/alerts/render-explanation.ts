import type { AlertFacts, Explanation } from '@ssb/config';
import { toPrintable } from '@ssb/net';
import { renderTable } from '@ssb/platform';
import type { ExplainedKind, Withheld } from './find-withheld.js';

export interface ExplainedEvent extends Explanation {
  readonly facts: AlertFacts;
  readonly kind: ExplainedKind;
  /** Sinks from which it is withheld at the time of the explanation. */
  readonly withheld: readonly Withheld[];
  /** What the tables do not show, in sentences. */
  readonly notes: readonly string[];
}

/** The event, each rule, then each sink. */
export function renderExplanation(explained: ExplainedEvent): string {
  const { facts, kind, rules, sinks, others, withheld, notes } = explained;
  const { type, participant, severity, problem, amount } = facts;
  const event = [
    ['type', type],
    ['participant', participant],
    ['severity', severity],
    ['problem', problem ?? 'none'],
    ...(amount === undefined ? [] : [['amount', amount]]),
  ];
  const matching = rules.filter(({ mismatch }) => mismatch === undefined);
  return [
    event.map(([name = '', value = '']) => `${name.padEnd(12)} ${value}`).join('\n'),
    renderTable(
      ['rule', 'matches', 'why not'],
      rules.map(({ name, mismatch }) => [name, mismatch ? 'no' : 'yes', mismatch ? explain(mismatch) : '']),
    ),
    renderTable(
      ['sink', 'receives', 'because'],
      [
        ...sinks.map((sink) => {
          const withholding = withheld.find((each) => each.sink === sink);
          const named = listRules(matching.filter((rule) => rule.sinks.includes(sink)));
          return withholding === undefined
            ? [sink, kind, named]
            : [sink, withholding.reason, toPrintable(withholding.because, MAX_REASON_LENGTH)];
        }),
        ...others.map(({ sink, reason }) => [sink, 'nothing', reason]),
      ],
    ),
    ...notes,
  ].join('\n\n');
}

/** The author of a silence is any text. */
const MAX_REASON_LENGTH = 500;
/** Characters of a list that is shown whole. */
const MAX_SHOWN = 60;

function explain({
  matcher,
  allowed,
  actual,
}: NonNullable<Explanation['rules'][number]['mismatch']>): string {
  const all = allowed.join(', ');
  const [first = '', ...further] = allowed;
  const shown = all.length <= MAX_SHOWN ? all : `${first} and ${further.length} more`;
  return `${matcher}: ${shown}; the event has ${actual}`;
}

function listRules(rules: readonly { readonly name: string }[]): string {
  return `${rules.length === 1 ? 'rule' : 'rules'} ${rules.map(({ name }) => name).join(', ')}`;
}
