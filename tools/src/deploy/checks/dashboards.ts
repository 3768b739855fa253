import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { CHART_FOLDER } from '../chart/chart-files.js';
import { replaceVariables } from '../../docs/promql-metrics.js';
import { PROMTOOL } from '../../programs/required-programs.js';
import { runOrFail } from '../check-failure.js';
import type { DeployCheck } from '../deploy-check.js';

interface Dashboard {
  readonly panels: readonly { readonly targets?: readonly { readonly expr: string }[] }[];
}

export const DASHBOARDS: DeployCheck = {
  name: 'dashboards',
  description: 'promtool for each query of the dashboards',
  programs: [PROMTOOL],
  run: async ({ findProgram, folder }) => {
    const dashboards = join(CHART_FOLDER, 'files/dashboards');
    const queries = readdirSync(dashboards).flatMap((file) => {
      const { panels } = JSON.parse(readFileSync(join(dashboards, file), 'utf8')) as Dashboard;
      return panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
    });
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
