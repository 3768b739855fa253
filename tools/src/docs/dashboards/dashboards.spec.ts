import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY_ROOT } from '../../system/processes.js';
import { importFromApps } from '../app-modules.js';
import { MetricCatalogue } from '../metric-catalogue.js';
import type { AppMetrics } from '../metrics-page.js';
import { replaceVariables } from '../promql-metrics.js';
import { DASHBOARDS, DASHBOARDS_FOLDER } from './all-dashboards.js';
import { GrafanaSchema } from './grafana-schema.js';

interface DashboardFile {
  readonly id?: unknown;
  readonly uid: string;
  readonly templating: {
    readonly list: readonly { readonly name: string; readonly query: string | { query: string } }[];
  };
  readonly panels: readonly {
    readonly type: string;
    readonly title: string;
    readonly description?: string;
    readonly targets?: readonly { readonly expr: string }[];
  }[];
}

const read = (name: string): DashboardFile =>
  JSON.parse(readFileSync(join(REPOSITORY_ROOT, DASHBOARDS_FOLDER, `${name}.json`), 'utf8')) as DashboardFile;

const catalogue = new MetricCatalogue(await importFromApps<AppMetrics>('metrics'));

describe.each(Object.keys(DASHBOARDS))('dashboard %s', (name) => {
  const dashboard = read(name);
  const panels = dashboard.panels.filter(({ type }) => type !== 'row');

  it('conforms to the schema of Grafana, with a uid and without an id', () => {
    expect(new GrafanaSchema().validate(dashboard)).toEqual([]);
    expect(dashboard.uid).toBe(`settlement-bus-bridge-${name}`);
    expect(dashboard).not.toHaveProperty('id');
  });

  it('has only metrics, labels and values of labels that exist', () => {
    const unknown = panels.flatMap(({ title, targets = [] }) =>
      targets.flatMap(({ expr }) =>
        catalogue.findUnknown(replaceVariables(expr)).map((what) => `${title}: ${what}`),
      ),
    );
    expect(unknown).toEqual([]);
  });

  it('lists the values of variables from labels of the code', () => {
    for (const { query } of dashboard.templating.list) {
      if (typeof query === 'string') continue;
      const [, series = '', label = ''] = /^label_values\((.+), (\w+)\)$/.exec(query.query) ?? [];
      expect(catalogue.findUnknown(`sum by (${label}) (${replaceVariables(series)})`)).toEqual([]);
    }
  });

  it('describes each panel in one sentence', () => {
    for (const { title, description } of panels)
      expect([title, description]).toEqual([title, expect.stringMatching(/^[A-Z].+\.$/)]);
  });
});

it('reports an invalid panel with its path', () => {
  const { panels, ...dashboard } = read('bus');
  const [panel] = panels;
  const changed = {
    ...dashboard,
    panels: [{ ...panel, type: 'stat', title: 'First', options: {}, colour: 'red' }],
  };
  const errors = new GrafanaSchema().validate(changed).join('\n');
  expect(errors).toContain('/panels/0');
  expect(errors).toContain('First: options must have required property');
});
