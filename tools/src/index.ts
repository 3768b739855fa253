export { BrokerAdmin, enrolGateway } from '@ssb/bus/provisioning';
export { createAuthority, type Authority } from '@ssb/dev/certificates';
export { importFromApps } from './docs/app-modules.js';
export { type AppMetrics, listMetricNames } from './docs/metrics-page.js';
export { onInterrupt } from './lifecycle/on-interrupt.js';
export { ResourceStack } from './lifecycle/resource-stack.js';
export { type DatabaseUrls, ensureSchemas } from './provision/database-schemas.js';
export { SecretsFolder } from '@ssb/keys/deployment';
export { describeMissing, ensurePrograms } from './programs/ensure-programs.js';
export { CHROMIUM, PNGQUANT } from './programs/required-programs.js';
export { createCommand } from './report/create-command.js';
export { Progress } from './report/progress.js';
export { AppProcess, type LogLine } from './system/app-process.js';
export {
  BROKER_AUDIENCE,
  buildEnvironments,
  GATEWAY_ADMIN,
  GATEWAY_USER,
  type SystemPlan,
} from './system/environments.js';
export {
  type EventTrace,
  EventTraces,
  getLastStep,
  matchInOrder,
  withAnyDigest,
} from './system/event-trace.js';
export {
  APP_BY_PROCESS,
  reserveSystemPorts,
  PROCESSES,
  type ProcessName,
  REPOSITORY_ROOT,
  STANDARD_PORTS,
} from './system/processes.js';
export { mergeIntoDefaults, mergeSettings, prepareConfigFile } from './system/scenario-config.js';
export { System, type SystemOptions } from './system/system.js';
export { type Delivery, WebhookReceiver } from './webhook/webhook-receiver.js';
export { ensureWebhookSecrets } from './webhook/webhook-secrets.js';
