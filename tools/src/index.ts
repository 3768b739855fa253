export { AppProcess, AppStartError, REPOSITORY, type LogLine } from './system/app-process.js';
export {
  BROKER_AUDIENCE,
  environmentsOf,
  GATEWAY_USER,
  gatewayUrl,
  type SystemPlan,
  type Webhook,
} from './system/environments.js';
export { Journeys, lastSeen, STEPS, type Journey, type Step } from './system/journey.js';
export { APP_OF, PROCESSES, STANDARD_PORTS, type Ports, type ProcessName } from './system/layout.js';
export { freePorts } from './system/ports.js';
export { System, type SystemOptions } from './system/system.js';
export { ensureSchemas, type DatabaseUrls } from './postgres/schemas.js';
export { BrokerAdmin } from './provision/broker-admin.js';
export { channelsOf, enrolGateway } from './provision/bus.js';
export { Progress } from './report/progress.js';
export { whenInterrupted } from './run/when-interrupted.js';
export { SecretsFolder, webhookSecret } from './secrets/secrets-folder.js';
export { WebhookSink, type Delivery } from './sink/webhook-sink.js';
export { createAuthority, type Authority, type Credential } from '@ssb/certificates';
export { type CredentialFiles } from './certificates/development-certificates.js';
