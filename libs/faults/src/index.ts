export { clockProvider } from './clock-provider.js';
export { MAX_FAULTS, type FaultCarrier, type Occurrences } from './fault-carrier.js';
export {
  MAX_ALERTS_PER_HOUR,
  MAX_ALERTS_PER_REASON,
  isHeldReportDue,
  type ReportAllowance,
} from './domain/report-allowance.js';
export {
  decideClear,
  decideDue,
  decideEndOfHour,
  decideHeld,
  decideOverflow,
  decideRaise,
  decideWithdraw,
  overflowTopic,
  type FaultDecision,
  type DueReport,
  type SavedFaults,
} from './domain/decide-reports.js';
export { isExpired, SUMMARY_INTERVAL_MS, type FaultState } from './domain/fault-state.js';
export { MAX_DOCUMENT_FAULTS } from './domain/document-faults.js';
export { CONFIRMATION_LIFETIME_MS } from './domain/confirmations.js';
export { DISCARDED_STATE_METRIC, FAULT_METRICS } from './fault-metrics.js';
export { createFaultEvent } from './create-fault-event.js';
export { FaultReporter, type Fault } from './fault-reporter.js';
export { GatewayAccessMonitor } from './gateway-access-monitor.js';
export {
  MAX_WAITING_ALERTS,
  openOperationsWebhook,
  operationsWebhookTargets,
  OperationsWebhook,
} from './operations-webhook.js';
export { UnusableFilesFault } from './unusable-files-fault.js';
export { WebhookFaultCarrier, type FaultReceivers } from './webhook-fault-carrier.js';
export { CONFIG_METRICS, reportConfigReloads } from './config/config-reloads.js';
export {
  createFormerFaultsTask,
  endFormerFaults,
  FORMER_FAULTS_INTERVAL_MS,
} from './config/former-faults.js';
