import type { AlertFacts, Explanation } from '@ssb/config';
import { renderFittedTable, StyledText, type Column } from '@ssb/platform/cli';
import { renderFields, renderParts } from '../output/text.js';
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
export function renderExplanation(explained: ExplainedEvent, width: number | undefined): StyledText {
  const { type, participant, severity, problem, amount } = explained.facts;
  return renderParts([
    [
      '',
      renderFields([
        ['type', type],
        ['participant', participant],
        ['severity', severity],
        ['problem', problem ?? 'none'],
        ['amount', amount],
      ]),
    ],
    ['', renderFittedTable(RULES, explained.rules, width)],
    ['', renderFittedTable(SINKS, listSinks(explained), width)],
    ...explained.notes.map((note) => ['', StyledText.of(note)] as const),
  ]);
}

const RULES: readonly Column<Explanation['rules'][number]>[] = [
  { head: 'rule', cell: ({ name }) => name },
  { head: 'matches', cell: ({ mismatch }) => (mismatch ? 'no' : 'yes') },
  { head: 'why not', cell: ({ mismatch }) => mismatch && explain(mismatch) },
];

interface ShownSink {
  readonly sink: string;
  /** Kind of what it receives, or why it is withheld. */
  readonly receives: string;
  readonly because: string;
}

const SINKS: readonly Column<ShownSink>[] = [
  { head: 'sink', cell: ({ sink }) => sink },
  { head: 'receives', cell: ({ receives }) => receives },
  { head: 'because', cell: ({ because }) => because },
];

function listSinks({ kind, rules, sinks, others, withheld }: ExplainedEvent): ShownSink[] {
  const matching = rules.filter(({ mismatch }) => mismatch === undefined);
  return [
    ...sinks.map((sink) => {
      const withholding = withheld.find((each) => each.sink === sink);
      return withholding === undefined
        ? { sink, receives: kind, because: listRules(matching.filter((rule) => rule.sinks.includes(sink))) }
        : { sink, receives: withholding.reason, because: withholding.because };
    }),
    ...others.map(({ sink, reason }) => ({ sink, receives: 'nothing', because: reason })),
  ];
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
