export type { AlertCarrier, Occurrences } from './alert-carrier.js';
export {
  MAX_ALERTS_PER_HOUR,
  MAX_ALERTS_PER_REASON,
  isHeldReportDue,
  isHourOver,
  renewAllowance,
  takeAllowance,
  type AlertAllowance,
} from './domain/alert-allowance.js';
export {
  decideClear,
  decideDue,
  decideEndOfHour,
  decideHeld,
  decideOverflow,
  decideRaise,
  decideWithdraw,
  overflowTopic,
  type AlertDecision,
  type DueAlert,
  type SavedAlerts,
} from './domain/decide-alerts.js';
export {
  addOccurrence,
  clearFault,
  decideReport,
  isExpired,
  recordReport,
  SUMMARY_INTERVAL_MS,
  type FaultState,
} from './domain/fault-state.js';
export { MAX_DOCUMENT_FAULTS } from './domain/document-faults.js';
export { CONFIRMATION_LIFETIME_MS } from './domain/confirmations.js';
export { DISCARDED_STATE_METRIC, FAULT_METRICS } from './alert-metrics.js';
export { createAlertEvent } from './create-alert-event.js';
export { DiscardedState } from './discarded-state.js';
export { FaultReporter, type Fault, type FaultReporterOptions } from './fault-reporter.js';
export { GatewayAccessMonitor, type GatewayAccessMonitorOptions } from './gateway-access-monitor.js';
export {
  MAX_WAITING_ALERTS,
  openOperationsWebhook,
  operationsWebhookTargets,
  OperationsWebhook,
  type OperationsWebhookOptions,
} from './operations-webhook.js';
export { MAX_FAULTS, QueueAlertCarrier, type QueueAlertCarrierOptions } from './queue-alert-carrier.js';
export { QueueFaultReporting, type QueueFaultReportingOptions } from './queue-fault-reporting.js';
export { reportUnavailableQueue } from './queue-outage.js';
export { WebhookAlertCarrier, type AlertReceivers } from './webhook-alert-carrier.js';
export { observeQueue, QUEUE_METRICS, QueueReader, type QueueState } from './queue-metrics.js';
