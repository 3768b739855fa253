import { readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Ajv } from 'ajv';
import { REPOSITORY_ROOT } from '../system/processes.js';
import { importFromApps } from './app-modules.js';
import { MetricCatalogue } from './test/metric-catalogue.js';
import type { AppMetrics } from './metrics-page.js';
import { replaceVariables } from './dashboard-queries.js';

const FOLDER = join(REPOSITORY_ROOT, 'helm/settlement-bus-bridge/files/dashboards');

interface Panel {
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly options?: unknown;
  readonly fieldConfig?: { readonly defaults: { readonly custom?: unknown } };
  readonly targets?: readonly { readonly expr: string }[];
}

interface Dashboard {
  readonly uid: string;
  readonly templating: { readonly list: readonly { readonly query: string | { readonly query: string } }[] };
  readonly panels: readonly Panel[];
}

const read = (file: string): Dashboard => JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as Dashboard;
const catalogue = new MetricCatalogue(await importFromApps<AppMetrics>('metrics'));

/** JSON schemas of Grafana's types (docs/operate/dashboards.md). */
const grafana = new Ajv({ allErrors: true, allowUnionTypes: true });
const schemas = JSON.parse(
  readFileSync(join(REPOSITORY_ROOT, 'tools/grafana-schema.json'), 'utf8'),
) as object;
for (const [name, schema] of Object.entries(schemas)) grafana.addSchema(schema as object, name);

describe.each(readdirSync(FOLDER))('%s', (file) => {
  const dashboard = read(file);
  const panels = dashboard.panels.filter(({ type }) => type !== 'row');

  it('conforms to the schema of Grafana, with a uid and without an id', () => {
    expect(listErrors(dashboard)).toEqual([]);
    expect(dashboard.uid).toBe(`settlement-bus-bridge-${basename(file, '.json')}`);
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
  const panel = { ...read('bus.json').panels[0], type: 'stat', title: 'First', options: {}, colour: 'red' };
  const errors = listErrors({ ...read('bus.json'), panels: [panel] }).join('\n');
  expect(errors).toContain('dashboard: /panels/0');
  expect(errors).toContain('First: options must have required property');
});

/** The values that do not conform, each with its path. A panel's type decides the schema of its options. */
function listErrors(dashboard: Dashboard): string[] {
  return [
    ...validate('dashboard', dashboard, 'dashboard: '),
    ...dashboard.panels
      .filter(({ type }) => type !== 'row')
      .flatMap(({ type, title, options, fieldConfig }) => {
        const custom = fieldConfig?.defaults.custom;
        return [
          ...validate(`${type}.options`, options, `${title}: options`),
          ...(custom === undefined ? [] : validate(`${type}.custom`, custom, `${title}: custom`)),
        ];
      }),
  ];
}

/** @throws if there is no such schema */
function validate(schema: string, value: unknown, path: string): string[] {
  if (grafana.validate(schema, value)) return [];
  return (grafana.errors ?? []).map(
    ({ instancePath, message, params }) => `${path}${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}
