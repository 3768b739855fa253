export {
  FixedConfig,
  openOperatorConfig,
  OperatorConfigFile,
  type ConfigListener,
  type ConfigSource,
  type OperatorConfigFileOptions,
} from './file/operator-config-file.js';
export { operatorConfigSchema } from './schema.js';
export type { OperatorConfig, ParticipantConfig, SinkConfig } from './schema.js';
export { listAccessFiles, type AccessConfig, type CertificateFiles } from './access-schema.js';
export {
  checkOperatorConfig,
  formatProblem,
  loadOperatorConfig,
  OperatorConfigError,
  type ConfigReport,
  type Environment,
} from './load.js';
export {
  endsFormerAlert,
  findEventProblem,
  findParticipantProblem,
  isConfiguredParticipant,
} from './event-check.js';
export type { ConfigProblem } from './yaml-file.js';
export {
  findAlertRouting,
  findHeartbeatRoute,
  findParticipant,
  findRoute,
  HEARTBEAT_TYPE,
  isIgnored,
  listChannels,
  listReadChannels,
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
export type {
  DetectionSettings,
  ForecastSettings,
  MarginSettings,
  Threshold,
} from './detection/detection-settings.js';
export { detectionSchema, MAX_HORIZON_DAYS } from './detection/detection-schema.js';
export { findDetectionSettings, MissingDetectionSettingError } from './detection/find-detection-settings.js';
export { tryParseDuration } from './duration.js';
