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

/** A query is not PromQL. */
export class PromqlSyntaxError extends Error {
  override readonly name = 'PromqlSyntaxError';

  constructor(query: string, position: number) {
    super(`The query is not PromQL at character ${position + 1}: ${query}`);
  }
}

/**
 * Reads the names from a query. A regular expression counts with each of its alternatives.
 * @param query without variables of Grafana (`replaceVariables`)
 * @throws PromqlSyntaxError
 */
export function listPromqlNames(query: string): PromqlNames {
  const [metrics, labels] = [new Set<string>(), new Set<string>()];
  const matchers: PromqlMatcher[] = [];
  parser.parse(query).iterate({
    enter: ({ type, node }) => {
      if (type.isError) throw new PromqlSyntaxError(query, node.from);
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

const VARIABLES: readonly (readonly [variable: RegExp, value: string])[] = [
  [/\$__rate_interval/g, '5m'],
  [/\$__range/g, '6h'],
  [/\$(namespace|release|participant|channel)\b/g, '.*'],
];

/** Replaces the variables of the dashboards, so that Prometheus can parse the query. */
export function replaceVariables(query: string): string {
  return VARIABLES.reduce((text, [variable, value]) => text.replace(variable, value), query);
}
