export { buildEventSchema, CATALOGUE } from './catalogue.js';
export type { Detection } from './envelope/envelope.js';
export { eventId, toUuidV4, type EventId } from './envelope/event-id.js';
export { EVENT_TYPES, isEventType, TOPIC_BY_EVENT_TYPE, type EventType } from './envelope/event-type.js';
export type { EventDefinition, EventGuide, FactDefinition } from './definition.js';
export { definitionOf, FACT_DEFINITIONS, type EventDataByType, type FactType } from './definitions.js';
export { createFactEvent, factEventId, type DetectedEvent, type Fact, type SignedEvent } from './event.js';
export {
  documentVersionOf,
  isRestated,
  isUrgent,
  announcesState,
  announcesProblem,
  timePrecisionOf,
} from './event-rules.js';
export { findForeignAttribute } from './foreign-attribute.js';
export { PRECEDENCES, precedenceOf, type Precedence } from './precedence.js';
export { signEvent, verifyProof, type EventSigningOptions, type ProofVerdict } from './proof.js';
export {
  ALERT_REASON_NAMES,
  ALERT_REASONS,
  alertSeverity,
  BRIDGE_APPS,
  type AlertReason,
  type AlertReasonDescription,
  type AlertSeverity,
  type BridgeApp,
} from './types/alert-reasons.js';
export {
  ALL_PARTICIPANTS,
  FURTHER_DOCUMENTS,
  MAX_DOCUMENT_LENGTH,
  MAX_INTERFACE_LENGTH,
  alertSubject,
  createAlertClearedEvent,
  createAlertRaisedEvent,
  isBridgeAlert,
  type AlertReport,
  type AlertTopic,
  type BridgeAlertClearedData,
  type BridgeAlertRaisedData,
} from './types/bridge-alert.js';
export {
  createHeartbeatEvent,
  isTestHeartbeat,
  heartbeatSubject,
  MARKET_INTERFACES,
  type HeartbeatData,
  type HeartbeatFact,
  type InterfacePolls,
  type MarketInterface,
} from './types/heartbeat.js';
export type { JsonSchema } from './types/json-schema.js';
export {
  DISCREPANCY_RULES,
  MAX_DISCREPANCIES,
  type InvoiceDiscrepancy,
  type InvoiceDiscrepancyData,
} from './types/invoice-discrepancy.js';
export {
  invoiceSubject,
  type InvoiceAdjustedData,
  type InvoiceIssuedData,
  type InvoiceOverdueData,
  type InvoiceReversedData,
} from './types/invoices.js';
export type { PaymentDueData } from './types/payment-due.js';
export { FORECAST_METHODS, type ForecastMethod, type MarginForecastData } from './types/forecasts.js';
export {
  MARGIN_CAUSES,
  MARGIN_LEVELS,
  marginEventType,
  marginSubject,
  SEVERITIES,
  type CreditSupportData,
  type MarginData,
  type MarginEventType,
  type MarginLevel,
  type Severity,
} from './types/margin.js';
export {
  MARKET_ACCESS_CAUSES,
  type MarketAccessCause,
  type MarketRecoveredData,
  type MarketUnreachableData,
} from './types/market-access.js';
export {
  POSITION_FIGURES,
  type PositionCalculatedData,
  type PositionFigure,
  type PositionResumedData,
  type PositionStaleData,
} from './types/positions.js';
export { MAX_REPETITIONS } from './types/run-properties.js';
export {
  statementSubject,
  withVariablesSummary,
  type StatementEvent,
  type StatementOverdueData,
  type StatementPublishedData,
  type StatementRevisedData,
  type StatementVariable,
  type StatementVariablesSummary,
} from './types/statements.js';
export {
  MAX_ESTIMATION_VARIABLES,
  MAX_TIMELINE_CHANGES,
  TIMELINE_DATES,
  type EstimationPublishedData,
  type TimelineChange,
  type TimelineChangedData,
  type TimelineDate,
} from './types/timeline.js';
export { validateDetectedEvent, validateEvent, type SchemaVerdict } from './validate.js';
