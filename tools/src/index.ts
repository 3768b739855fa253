export { createAuthority, type Authority } from '@ssb/certificates';
export { onInterrupt } from './lifecycle/on-interrupt.js';
export { ResourceStack } from './lifecycle/resource-stack.js';
export { BrokerAdmin } from './provision/broker-admin.js';
export { type DatabaseUrls, ensureSchemas } from './provision/database-schemas.js';
export type { CredentialFiles } from './provision/development-certificates.js';
export { enrolGateway } from './provision/provision-services.js';
export { SecretsFolder, toWebhookSecret } from './provision/secrets-folder.js';
export { Progress } from './report/progress.js';
export { AppProcess, type LogLine } from './system/app-process.js';
export {
  BROKER_AUDIENCE,
  buildEnvironments,
  GATEWAY_ADMIN,
  GATEWAY_USER,
  type SystemPlan,
} from './system/environments.js';
export { EventTraces, getLastStep } from './system/event-trace.js';
export {
  APP_BY_PROCESS,
  reserveSystemPorts,
  type Ports,
  PROCESSES,
  type ProcessName,
  REPOSITORY_ROOT,
  STANDARD_PORTS,
} from './system/processes.js';
export { System, type SystemOptions } from './system/system.js';
export { type Delivery, WebhookReceiver } from './webhook/webhook-receiver.js';
