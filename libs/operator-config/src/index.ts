export type { MarginThresholds, OperatorConfig, SinkConfig } from './schema.js';
export {
  checkOperatorConfig,
  formatProblem,
  loadOperatorConfig,
  OperatorConfigError,
  type ConfigReport,
} from './load.js';
export type { ConfigProblem } from './yaml-file.js';
export {
  findAlertRouting,
  findHeartbeatRoute,
  findMarginThresholds,
  findRoute,
  findTrustedSenders,
  HEARTBEAT_TYPE,
  isIgnored,
  listChannels,
  matchesPattern,
  type AlertRouting,
  type Route,
  type TrustedSenders,
} from './lookup.js';
