import { join } from 'node:path';
import { REPOSITORY_ROOT } from '../../system/processes.js';
import { runOrFail } from '../check-failure.js';
import type { DeployCheck } from '../deploy-check.js';
import { HADOLINT, HELM } from '../tools/tools.js';

export const DEPLOY_TESTS: DeployCheck = {
  name: 'tests',
  description: 'test files of tools/src/deploy: the chart, the Compose file, images and dependencies',
  tools: [HELM],
  run: async () => {
    const jest = join(REPOSITORY_ROOT, 'node_modules/jest/bin/jest.js');
    const output = await runOrFail(process.execPath, [jest, '--selectProjects', 'deploy', '--maxWorkers=2']);
    return /^Tests: +(.*)$/m.exec(output)?.[1] ?? 'passed';
  },
};

export const DOCKERFILE: DeployCheck = {
  name: 'dockerfile',
  description: 'hadolint; every finding is an error, also one of style',
  tools: [HADOLINT],
  run: async ({ findTool }) => {
    await runOrFail(await findTool(HADOLINT), ['--failure-threshold', 'style', 'Dockerfile']);
    return 'Dockerfile';
  },
};
