export { addDecimals, compareDecimals, tryParseDecimal, type Decimal } from '@ssb/market/decimal';
export {
  compareLargeStatements,
  listVariables,
  type StatementComparison,
  type StatementVariable,
} from '@ssb/market/compare-statements';
export { openOperatorConfig, OperatorConfigFile, type ConfigSource } from './file/operator-config-file.js';
export { operatorConfigSchema } from './schema.js';
export type { OperatorConfig } from './schema.js';
export { listAccessFiles, type AccessConfig, type CertificateFiles } from './access-schema.js';
export {
  checkOperatorConfig,
  formatProblem,
  loadOperatorConfig,
  OperatorConfigError,
  type ConfigReport,
} from './load.js';
export { areRulesKnown, listAttendedSinks } from './alerts/alert-sinks.js';
export { AMOUNTS, amountOf, parseAmount } from './alerts/amount-of.js';
export { findWorstSeverity, openingTypes } from './alerts/possible-facts.js';
export { explainRecipients, type Explanation } from './alerts/explain-recipients.js';
export {
  findMatchingRules,
  findRecipients,
  type AlertFacts,
  type Recipients,
} from './alerts/find-recipients.js';
export {
  findWithholding,
  isCritical,
  isNotice,
  type RuleWithholding,
  type WithholdingFacts,
} from './alerts/find-withholding.js';
export { isMuted } from './alerts/is-muted.js';
export type { AlertRule } from './alerts/rule-schema.js';
export { HEADER_VALUE_FORM, isHeaderValue } from './alerts/sink-headers.js';
export { OPERATIONS_SINK } from './alerts/sink-shapes.js';
export { listSinkFiles, type SinkConfig, type WebhookSinkConfig } from './alerts/sink-schema.js';
export type {
  AlertmanagerSinkConfig,
  ChatSinkConfig,
  EmailSinkConfig,
  PagerDutySinkConfig,
} from './alerts/people-sink-schema.js';
export { severityOf } from './alerts/severity-of.js';
export {
  findSilenceIssue,
  isSilenced,
  maxSilenceMs,
  silenceMatchers,
  type SilenceFacts,
  type SilenceMatchers,
} from './alerts/silence.js';
export {
  endsFormerAlert,
  findEventProblem,
  findParticipantProblem,
  isConfiguredParticipant,
} from './event-check.js';
export {
  findHeartbeatRoute,
  findParticipant,
  findRoute,
  HEARTBEAT_TYPE,
  isIgnored,
  listChannels,
  listReadChannels,
  listTopics,
  type Route,
} from './lookup.js';
export { findTrustedSenders, listTrustedSenders } from './trusted-senders.js';
export type {
  DetectionSettings,
  DisagreementWindow,
  ForecastSettings,
  MarginSettings,
  Threshold,
} from './detection/detection-settings.js';
export { addBusinessDays, countBusinessDays } from './detection/business-days.js';
export { findDisagreeUntil } from './detection/find-disagree-until.js';
export { detectionSchema, MAX_HORIZON_DAYS } from './detection/detection-schema.js';
export { findDetectionSettings, MissingDetectionSettingError } from './detection/find-detection-settings.js';
export {
  headroomAbove,
  paymentDirection,
  resolveMarginThresholds,
  resolveThreshold,
} from './detection/amounts.js';
export { tryParseDuration } from './duration.js';
export { findEventTypes, findTypePattern, shortType, suggestTypes } from './event-types.js';
export { findNearestName } from './nearest-name.js';
