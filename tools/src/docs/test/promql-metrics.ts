import { parser } from '@prometheus-io/lezer-promql';
import type { SyntaxNode } from '@lezer/common';

/** A condition such as `reason=~"a|b"`. */
export interface PromqlMatcher {
  /** The metrics that it selects from. */
  readonly metrics: readonly string[];
  readonly label: string;
  /** Each alternative, if the value is a regular expression. */
  readonly values: readonly string[];
}

/** The metric names and labels of a query. */
export interface PromqlNames {
  readonly metrics: readonly string[];
  /** Of matchers, `by`, `on` and `group_left`. */
  readonly labels: readonly string[];
  readonly matchers: readonly PromqlMatcher[];
}

/**
 * Reads the names from a query. A regular expression counts with each of its alternatives.
 * @param query without variables of Grafana (`replaceVariables`)
 * @throws SyntaxError
 */
export function listPromqlNames(query: string): PromqlNames {
  const [metrics, labels] = [new Set<string>(), new Set<string>()];
  const matchers: PromqlMatcher[] = [];
  parser.parse(query).iterate({
    enter: ({ type, node }) => {
      if (type.isError) throw new SyntaxError(`Not PromQL at character ${node.from + 1}: ${query}`);
      if (type.name === 'LabelName' && node.parent?.name === 'GroupingLabels')
        labels.add(textOf(node, query));
      if (type.name !== 'VectorSelector') return;
      const selector = readSelector(node, query);
      for (const name of selector.metrics) metrics.add(name);
      for (const { label } of selector.matchers) labels.add(label);
      matchers.push(...selector.matchers);
    },
  });
  return { metrics: [...metrics], labels: [...labels], matchers };
}

/** `name{label="value"}`, or `{__name__=~"a|b", label="value"}`. */
function readSelector(
  selector: SyntaxNode,
  query: string,
): { readonly metrics: readonly string[]; readonly matchers: readonly PromqlMatcher[] } {
  const identifier = selector.getChild('Identifier');
  const metrics = identifier === null ? [] : [textOf(identifier, query)];
  const matchers = (selector.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? []).map(
    (matcher) => {
      const [label, value] = ['LabelName', 'StringLiteral'].map((type) => matcher.getChild(type));
      return {
        metrics,
        label: label ? textOf(label, query) : '',
        values: value ? expandAlternatives(textOf(value, query).slice(1, -1)) : [],
      };
    },
  );
  const isName = ({ label }: PromqlMatcher): boolean => label === '__name__';
  metrics.push(...matchers.filter(isName).flatMap(({ values }) => values));
  return { metrics, matchers: matchers.filter((matcher) => !isName(matcher)) };
}

function textOf({ from, to }: SyntaxNode, query: string): string {
  return query.slice(from, to);
}

/** `a|b` or `(a|b)_c`. */
function expandAlternatives(pattern: string): string[] {
  const [, before = '', group, after = ''] = /^(\w*)\(([\w|]+)\)(\w*)$/.exec(pattern) ?? [];
  return group === undefined ? pattern.split('|') : group.split('|').map((part) => before + part + after);
}
