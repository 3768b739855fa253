import { MetricCatalogue } from './metric-catalogue.js';
import type { AppMetrics } from '../metrics-page.js';

const help = 'Help.';
const apps: readonly AppMetrics[] = [
  {
    name: 'first',
    metricDefinitions: [
      { type: 'counter', name: 'a_total', help, labels: { state: ['on'], sink: 'sinks of a file' } },
      { type: 'histogram', name: 'b_seconds', help },
      { type: 'gauge', name: 'settlement_bridge_fault_active', help, labels: { reason: 'reasons' } },
    ],
  },
  {
    name: 'second',
    metricDefinitions: [{ type: 'counter', name: 'a_total', help, labels: { state: ['off'] } }],
  },
];
const catalogue = new MetricCatalogue(apps);

it.each([
  ['a metric', 'c_total', ['c_total']],
  ['a series of a metric that is not a histogram', 'a_total_bucket', ['a_total_bucket']],
  ['a label of a grouping', 'sum by (level) (a_total)', ['level']],
  ['a label of another metric', 'a_total and b_seconds_count{state="on"}', ['b_seconds_count: state']],
  ['a value', 'a_total{state=~"on|gone"}', ['a_total: state="gone"']],
  [
    'a reason',
    'settlement_bridge_fault_active{reason="other"}',
    ['settlement_bridge_fault_active: reason="other"'],
  ],
])('reports %s that does not exist', (_, query, unknown) => {
  expect(catalogue.findUnknown(query)).toEqual(unknown);
});
