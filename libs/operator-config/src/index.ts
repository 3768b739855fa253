export { operatorConfigSchema } from './schema.js';
export type { MarginThresholds, OperatorConfig, SinkConfig } from './schema.js';
export {
  checkOperatorConfig,
  formatProblem,
  loadOperatorConfig,
  OperatorConfigError,
  type ConfigReport,
} from './load.js';
export { findEventProblem, findParticipantProblem, isConfiguredParticipant } from './event-check.js';
export type { ConfigProblem } from './yaml-file.js';
export {
  findAlertRouting,
  findHeartbeatRoute,
  findMarginThresholds,
  findRoute,
  HEARTBEAT_TYPE,
  isIgnored,
  listChannels,
  listTopics,
  matchesPattern,
  type AlertRouting,
  type Route,
} from './lookup.js';
export {
  findTrustedSenders,
  listTrustedSenders,
  mayState,
  type TrustedOrigin,
  type TrustedSenders,
} from './trusted-senders.js';
