import type { AlertFacts, Explanation } from '@ssb/config';
import { renderTable } from '@ssb/platform';

/** Kind of the first delivery of an event, as `bridge-kind` has it. */
export type ExplainedKind = 'alert' | 'notice' | 'resolved';

export interface ExplainedEvent extends Explanation {
  readonly facts: AlertFacts;
  readonly kind: ExplainedKind;
  /** What the tables do not show, in sentences. */
  readonly notes: readonly string[];
}

/** The event, each rule, then each sink. */
export function renderExplanation({ facts, kind, rules, sinks, others, notes }: ExplainedEvent): string {
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
        ...sinks.map((sink) => [sink, kind, listRules(matching.filter((rule) => rule.sinks.includes(sink)))]),
        ...others.map(({ sink, reason }) => [sink, 'nothing', reason]),
      ],
    ),
    ...notes,
  ].join('\n\n');
}

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
