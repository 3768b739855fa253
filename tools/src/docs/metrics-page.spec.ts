import { listMetricNames, renderMetricsPage, type AppMetrics } from './metrics-page.js';

const shared = (sources: readonly string[]) =>
  ({ type: 'gauge', name: 'shared_seconds', help: 'Shared.', labels: { source: sources } }) as const;

const APPS: readonly AppMetrics[] = [
  {
    name: 'first',
    metricDefinitions: [
      shared(['a', 'b']),
      { type: 'gauge', business: true, name: 'first_aud', help: 'Money.', labels: { who: 'one' } },
    ],
  },
  {
    name: 'second',
    metricDefinitions: [
      shared(['b', 'c']),
      { type: 'counter', name: 'second_total', help: 'Left|right.', labels: { x: ['1', '2'], y: 'any' } },
    ],
  },
];

const page = renderMetricsPage(APPS);

describe('the metrics page', () => {
  it.each([
    [
      'a metric of several apps once, with all values',
      '- `shared_seconds` (gauge in first, second): Shared. Labels: `source`: a, b, c.',
    ],
    ['a business metric', '- `first_aud` (gauge, business): Money. Labels: `who`: one.'],
    ['labels with values and bounds', '- `second_total` (counter): Left|right. Labels: `x`: 1, 2; `y`: any.'],
  ])('shows %s', (_, row) => {
    expect(page.split('\n').filter((line) => line === row)).toHaveLength(1);
  });

  it('has the metrics of the process, but not those whose names prom-client breaks', () => {
    expect(page).toContain('`process_cpu_seconds_total`');
    expect(page).not.toContain('nodejs_active_handles_total');
  });
});

it('lists every name of an app', () => {
  const [first] = APPS;
  expect(first && listMetricNames(first)).toEqual(
    expect.arrayContaining(['first_aud', 'shared_seconds', 'settlement_bridge_app_info', 'process_open_fds']),
  );
});
