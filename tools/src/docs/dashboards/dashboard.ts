import type { Panel } from './panels.js';

export interface DashboardDescription {
  readonly uid: string;
  readonly title: string;
  readonly description: string;
  /** Variables beside `datasource`, `namespace` and `release`: name, heading, and the metric whose label it lists. */
  readonly variables: readonly (readonly [name: string, label: string, metric: string])[];
  readonly panels: readonly Panel[];
}

/** Selects what the variables `namespace` and `release` select. */
export const NAMESPACE = 'namespace=~"$namespace", release=~"$release"';

/** `schemaVersion` of Grafana 12. */
const SCHEMA_VERSION = 42;
const GRID_WIDTH = 24;
const DATASOURCE = { type: 'prometheus', uid: '${datasource}' };

/** The JSON that Grafana imports. It has no id, so that Grafana assigns one; the uid stays the same with each import. */
export function renderDashboard({
  uid,
  title,
  description,
  variables,
  panels,
}: DashboardDescription): string {
  return JSON.stringify({
    uid,
    title,
    description,
    tags: ['settlement-bus-bridge'],
    schemaVersion: SCHEMA_VERSION,
    editable: false,
    graphTooltip: 1,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    timezone: 'browser',
    links: [buildLinks()],
    templating: {
      list: [
        {
          name: 'datasource',
          label: 'Data source',
          type: 'datasource',
          query: 'prometheus',
          current: { text: 'Prometheus', value: 'prometheus' },
        },
        buildVariable('namespace', 'Namespace', 'settlement_bridge_app_info'),
        buildVariable('release', 'Release', 'settlement_bridge_app_info{namespace=~"$namespace"}'),
        ...variables.map(([name, label, metric]) => buildVariable(name, label, `${metric}{${NAMESPACE}}`)),
      ],
    },
    panels: placePanels(panels),
  });
}

/** "All" matches every value and no value: without Kubernetes there is neither namespace nor release. */
function buildVariable(name: string, label: string, metric: string): object {
  return {
    name,
    label,
    type: 'query',
    datasource: DATASOURCE,
    query: { query: `label_values(${metric}, ${name})`, refId: name },
    refresh: 2,
    sort: 1,
    includeAll: true,
    multi: true,
    allValue: '.*',
    current: { text: 'All', value: '$__all' },
  };
}

/** A menu of the other dashboards. */
function buildLinks(): object {
  return {
    type: 'dashboards',
    title: 'Settlement bus bridge',
    tags: ['settlement-bus-bridge'],
    asDropdown: true,
    includeVars: true,
    keepTime: true,
    targetBlank: false,
    icon: 'external link',
    tooltip: '',
  };
}

/** From left to right; a panel that does not fit begins a new line below the highest panel of the line. */
function placePanels(panels: readonly Panel[]): object[] {
  let [x, y, lineHeight] = [0, 0, 0];
  return panels.map(({ size: [w, h], targets, ...panel }, index) => {
    if (x + w > GRID_WIDTH) [x, y, lineHeight] = [0, y + lineHeight, 0];
    const gridPos = { x, y, w, h };
    x += w;
    lineHeight = Math.max(lineHeight, h);
    const id = index + 1;
    if (targets === undefined) return { id, ...panel, gridPos, collapsed: false, panels: [] };
    const queries = targets.map((target) => ({ ...target, datasource: DATASOURCE }));
    return { id, ...panel, datasource: DATASOURCE, gridPos, targets: queries };
  });
}
