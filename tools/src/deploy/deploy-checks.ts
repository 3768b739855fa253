import { join } from 'node:path';
import { REPOSITORY_ROOT } from '../system/processes.js';
import { ALERTMANAGER, POSTGRES, REDIS, TEST_PROGRAMS } from '../programs/required-programs.js';
import { type DeployCheck, requireProgram, runOrFail } from './deploy-check.js';
import { runTests } from './run-tests.js';
import { IMAGES } from './images/check-images.js';
import { SUPPLY_CHAIN } from './supply-chain/check-supply-chain.js';
import { provideTool } from './tools/tool-cache.js';
import { COMPOSE_CHECK, HADOLINT, HELM } from './tools/tools.js';
import { HELM_LINT, HELM_UNITTESTS, MANIFESTS } from './checks/chart.js';
import { CLI_PACKAGE_CHECK } from './checks/cli-package.js';
import { CONSOLE } from './checks/console.js';
import { DOWNSTREAM_PACKAGE_CHECK } from './checks/downstream.js';
import { EXAMPLES } from './checks/examples.js';
import { OPENAPI } from './checks/openapi.js';
import { PYTHON_KIT } from './checks/python.js';
import { DEPENDENCY_RULES, LINT } from './checks/source.js';
import { ALERT_RULES, DASHBOARDS, METRICS, MONITORING_CONFIGURATION } from './checks/monitoring.js';

const DEPLOY_TESTS: DeployCheck = {
  name: 'tests',
  description:
    'test files of tools/src/deploy: the chart, the Compose file, Alertmanager, images and dependencies',
  run: async () => {
    requireProgram(ALERTMANAGER);
    await provideTool(HELM);
    return runTests('deploy', 2);
  },
};

const SANDBOX: DeployCheck = {
  name: 'sandbox',
  description: 'npm start and npm run demo, whole, refused and interrupted; the scenarios of the simulator',
  run: async () => {
    for (const program of [REDIS, POSTGRES]) requireProgram(program);
    return runTests('sandbox', 2);
  },
};

const RESILIENCE: DeployCheck = {
  name: 'resilience',
  description:
    'killed apps, lost servers and replaced keys in a running system: nothing is lost, nothing comes twice',
  run: async () => {
    for (const program of TEST_PROGRAMS) requireProgram(program);
    return runTests('resilience', 1);
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
  RESILIENCE,
  SANDBOX,
  CONSOLE,
  EXAMPLES,
  DEPLOY_TESTS,
  OPENAPI,
  MANIFESTS,
  HELM_LINT,
  HELM_UNITTESTS,
  PYTHON_KIT,
  DOWNSTREAM_PACKAGE_CHECK,
  CLI_PACKAGE_CHECK,
  COMPOSE_FILE,
  ALERT_RULES,
  MONITORING_CONFIGURATION,
  SUPPLY_CHAIN,
  DASHBOARDS,
  METRICS,
  DOCKERFILE,
  LINT,
  DEPENDENCY_RULES,
];
