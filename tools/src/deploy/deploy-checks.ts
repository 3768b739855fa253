import { DASHBOARDS } from './checks/dashboards.js';
import { HELM_LINT, HELM_TEMPLATE, HELM_UNITTESTS } from './checks/helm.js';
import { KUBECONFORM_STRICT, RESTRICTED_PODS } from './checks/manifests.js';
import { ALERT_RULES, METRICS, MONITORING_CONFIGURATION } from './checks/monitoring.js';
import { COMPOSE_FILE, IMAGES, SUPPLY_CHAIN } from './checks/system.js';
import { DEPLOY_TESTS, DOCKERFILE } from './checks/tests.js';
import type { DeployCheck } from './deploy-check.js';

/** What `npm run check:deploy` runs, two at a time. The longest come first. */
export const DEPLOY_CHECKS: readonly DeployCheck[] = [
  IMAGES,
  DEPLOY_TESTS,
  HELM_TEMPLATE,
  HELM_LINT,
  KUBECONFORM_STRICT,
  HELM_UNITTESTS,
  RESTRICTED_PODS,
  COMPOSE_FILE,
  ALERT_RULES,
  MONITORING_CONFIGURATION,
  SUPPLY_CHAIN,
  DASHBOARDS,
  METRICS,
  DOCKERFILE,
];
