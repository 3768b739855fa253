import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { DASHBOARDS_FOLDER } from '../../docs/dashboards/all-dashboards.js';
import { GrafanaSchema } from '../../docs/dashboards/grafana-schema.js';
import { replaceVariables } from '../../docs/promql-metrics.js';
import { PROMTOOL } from '../../programs/required-programs.js';
import { REPOSITORY_ROOT } from '../../system/processes.js';
import { CheckFailure, runOrFail } from '../check-failure.js';
import type { DeployCheck } from '../deploy-check.js';

interface DashboardFile {
  readonly panels: readonly {
    readonly type: string;
    readonly title: string;
    readonly targets?: readonly { readonly expr: string }[];
  }[];
}

export const DASHBOARDS: DeployCheck = {
  name: 'dashboards',
  description: 'dashboards: the schema of Grafana, and promtool for each query',
  programs: [PROMTOOL],
  run: async ({ findProgram, folder }) => {
    const schema = new GrafanaSchema();
    const queries: string[] = [];
    for (const file of readdirSync(join(REPOSITORY_ROOT, DASHBOARDS_FOLDER))) {
      const text = readFileSync(join(REPOSITORY_ROOT, DASHBOARDS_FOLDER, file), 'utf8');
      const dashboard = JSON.parse(text) as DashboardFile;
      const errors = schema.validate(dashboard);
      if (errors.length > 0) throw new CheckFailure(errors.map((error) => `${file}: ${error}`).join('\n'));
      queries.push(...dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)));
    }
    // promtool parses queries only as rules.
    const rules = queries.map((query, index) => ({
      record: `query:${index}`,
      expr: replaceVariables(query),
    }));
    const rulesFile = join(folder, 'dashboard-queries.yaml');
    writeFileSync(rulesFile, stringify({ groups: [{ name: 'dashboards', rules }] }));
    await runOrFail(findProgram(PROMTOOL), ['check', 'rules', rulesFile]);
    return `${queries.length} queries`;
  },
};
