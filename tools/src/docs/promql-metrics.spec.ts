import { listPromqlNames, PromqlSyntaxError, replaceVariables, toMetricName } from './promql-metrics.js';

describe('listPromqlNames', () => {
  it.each([
    ['up', ['up'], []],
    ['sum by (job) (rate(a_total{x="1"}[5m]))', ['a_total'], ['job', 'x']],
    ['a * on (instance) group_left (app) b_info', ['a', 'b_info'], ['instance', 'app']],
    ['{__name__=~"a_days|b_days", y!="2"} < 14', ['a_days', 'b_days'], ['y']],
    ['{__name__=~"(a|b)_days"}', ['a_days', 'b_days'], []],
    ['absent(c{d=~"e|f"}) or vector(0)', ['c'], ['d']],
    ['label_replace(g, "h", "$1", "i", "(.+)")', ['g'], []],
  ])('%s', (query, metrics, labels) => {
    expect(listPromqlNames(query)).toEqual({ metrics, labels });
  });

  it('reports a query that is not PromQL', () => {
    expect(() => listPromqlNames('sum(a')).toThrow(PromqlSyntaxError);
  });
});

it('replaces the variables of Grafana', () => {
  expect(replaceVariables('rate(a{namespace=~"$namespace"}[$__rate_interval])')).toBe(
    'rate(a{namespace=~".*"}[5m])',
  );
  expect(replaceVariables('a[$__range]', { $__range: '1h' })).toBe('a[1h]');
});

it('knows the series of a histogram', () => {
  const histograms = new Set(['a_seconds']);
  expect(['a_seconds_bucket', 'b_count'].map((series) => toMetricName(series, histograms))).toEqual([
    'a_seconds',
    'b_count',
  ]);
});
