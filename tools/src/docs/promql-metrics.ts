import { parser } from '@prometheus-io/lezer-promql';
import type { SyntaxNode } from '@lezer/common';

/** The metric names and labels of a query. */
export interface PromqlNames {
  readonly metrics: readonly string[];
  /** Of matchers, `by`, `on` and `group_left`. */
  readonly labels: readonly string[];
}

/** A query is not PromQL. */
export class PromqlSyntaxError extends Error {
  override readonly name = 'PromqlSyntaxError';

  constructor(query: string, position: number) {
    super(`The query is not PromQL at character ${position + 1}: ${query}`);
  }
}

/**
 * Reads the names from a query. Regular expressions of `__name__` count with each of their alternatives.
 * @param query without variables of Grafana (`replaceVariables`)
 * @throws PromqlSyntaxError
 */
export function listPromqlNames(query: string): PromqlNames {
  const [metrics, labels] = [new Set<string>(), new Set<string>()];
  const text = (node: SyntaxNode): string => query.slice(node.from, node.to);
  parser.parse(query).iterate({
    enter: ({ type, node }) => {
      if (type.isError) throw new PromqlSyntaxError(query, node.from);
      if (type.name === 'Identifier' && node.parent?.name === 'VectorSelector') metrics.add(text(node));
      if (type.name !== 'LabelName') return;
      if (text(node) !== '__name__') labels.add(text(node));
      else for (const name of expandAlternatives(text(node.parent as SyntaxNode))) metrics.add(name);
    },
  });
  return { metrics: [...metrics], labels: [...labels] };
}

/** `__name__=~"a|b"` or `__name__=~"(a|b)_c"`. */
function expandAlternatives(matcher: string): string[] {
  const pattern = matcher.slice(matcher.indexOf('"') + 1, -1);
  const [, before = '', group, after = ''] = /^(\w*)\(([\w|]+)\)(\w*)$/.exec(pattern) ?? [];
  return group === undefined ? pattern.split('|') : group.split('|').map((part) => before + part + after);
}

const VARIABLES: readonly (readonly [variable: RegExp, value: string])[] = [
  [/\$__rate_interval/g, '5m'],
  [/\$__range/g, '6h'],
  [/\$(namespace|participant|channel)\b/g, '.*'],
];

/** Replaces the variables of the dashboards, so that Prometheus can parse the query. */
export function replaceVariables(query: string, values: Readonly<Record<string, string>> = {}): string {
  return VARIABLES.reduce(
    (text, [variable, value]) => text.replace(variable, (name) => values[name] ?? value),
    query,
  );
}

/** Name of the metric in the code: histograms have three series each. */
export function toMetricName(series: string, histograms: ReadonlySet<string>): string {
  const name = series.replace(/_(bucket|sum|count)$/, '');
  return histograms.has(name) ? name : series;
}
