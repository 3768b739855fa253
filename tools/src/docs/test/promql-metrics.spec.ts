import { replaceVariables } from '../dashboard-queries.js';
import { listPromqlNames } from './promql-metrics.js';

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
    expect(listPromqlNames(query)).toMatchObject({ metrics, labels });
  });

  it('lists the values of each matcher with its metrics', () => {
    expect(listPromqlNames('a{x="1"} / on (y) {__name__=~"(b|c)_d", x=~"2|3"}').matchers).toEqual([
      { metrics: ['a'], label: 'x', values: ['1'] },
      { metrics: ['b_d', 'c_d'], label: 'x', values: ['2', '3'] },
    ]);
  });

  it('reports a query that is not PromQL', () => {
    expect(() => listPromqlNames('sum(a')).toThrow(SyntaxError);
  });
});

it('replaces the variables of Grafana', () => {
  expect(replaceVariables('rate(a{namespace=~"$namespace"}[$__rate_interval])')).toBe(
    'rate(a{namespace=~".*"}[5m])',
  );
});
