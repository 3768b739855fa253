import { CHART_FOLDER, listValuesFiles } from '../chart/chart-files.js';
import { helmEnvironment, RENDERING_TOOLS } from '../chart/rendered-chart.js';
import { runAll, runOrFail } from '../check-failure.js';
import type { DeployCheck } from '../deploy-check.js';
import { HELM, HELM_UNITTEST } from '../tools/tools.js';

export const HELM_LINT: DeployCheck = {
  name: 'helm-lint',
  description: 'helm lint --strict, with each example and with everything on and off',
  tools: [HELM],
  run: async ({ findTool, folder }) => {
    const files = listValuesFiles();
    const helm = await findTool(HELM);
    await runAll(files, async ({ path }) =>
      runOrFail(helm, ['lint', '--strict', '--quiet', CHART_FOLDER, '--values', path], {
        environment: helmEnvironment(folder),
      }),
    );
    return `${files.length} files of values`;
  },
};

export const HELM_TEMPLATE: DeployCheck = {
  name: 'helm-template',
  description: 'helm template without warnings, oldest and newest Kubernetes',
  tools: RENDERING_TOOLS,
  run: async ({ chart }) => {
    const renderings = await chart.list();
    const names = new Set(renderings.map(({ values }) => values.name));
    return `${renderings.length} renderings: ${[...names].join(', ')}`;
  },
};

export const HELM_UNITTESTS: DeployCheck = {
  name: 'helm-unittest',
  description: 'suites of helm/settlement-bus-bridge/tests',
  tools: [HELM_UNITTEST],
  run: async ({ findTool }) => {
    const output = await runOrFail(await findTool(HELM_UNITTEST), [
      '--strict',
      '--file',
      'tests/*_test.yaml',
      CHART_FOLDER,
    ]);
    return /Tests:\s+(\d+) passed/.exec(output)?.[0].replace(/\s+/, ' ') ?? 'passed';
  },
};
