import { join } from 'node:path';
import { REPOSITORY_ROOT } from '../system/processes.js';
import { type DeployCheck, runOrFail } from './deploy-check.js';
import { IMAGES } from './images/check-images.js';
import { SUPPLY_CHAIN } from './supply-chain/check-supply-chain.js';
import { provideTool } from './tools/tool-cache.js';
import { COMPOSE_CHECK, HADOLINT, HELM } from './tools/tools.js';
import { HELM_LINT, HELM_UNITTESTS, MANIFESTS } from './checks/chart.js';
import { ALERT_RULES, DASHBOARDS, METRICS, MONITORING_CONFIGURATION } from './checks/monitoring.js';

const DEPLOY_TESTS: DeployCheck = {
  name: 'tests',
  description: 'test files of tools/src/deploy: the chart, the Compose file, images and dependencies',
  run: async () => {
    await provideTool(HELM);
    const jest = join(REPOSITORY_ROOT, 'node_modules/jest/bin/jest.js');
    const output = await runOrFail(process.execPath, [jest, '--selectProjects', 'deploy', '--maxWorkers=2']);
    return /^Tests: +(.*)$/m.exec(output)?.[1] ?? 'passed';
  },
};

const COMPOSE_FILE: DeployCheck = {
  name: 'compose',
  description: 'docker-compose.yml, loaded as Compose loads it, with all profiles',
  run: async () => {
    const file = 'docker-compose.yml';
    await runOrFail(await provideTool(COMPOSE_CHECK), [join(REPOSITORY_ROOT, file)]);
    return file;
  },
};

const DOCKERFILE: DeployCheck = {
  name: 'dockerfile',
  description: 'hadolint; every finding is an error, also one of style',
  run: async () => {
    await runOrFail(await provideTool(HADOLINT), ['--failure-threshold', 'style', 'Dockerfile']);
    return 'Dockerfile';
  },
};

/** What `npm run check:deploy` runs, two at a time. The longest come first. */
export const DEPLOY_CHECKS: readonly DeployCheck[] = [
  IMAGES,
  DEPLOY_TESTS,
  MANIFESTS,
  HELM_LINT,
  HELM_UNITTESTS,
  COMPOSE_FILE,
  ALERT_RULES,
  MONITORING_CONFIGURATION,
  SUPPLY_CHAIN,
  DASHBOARDS,
  METRICS,
  DOCKERFILE,
];
