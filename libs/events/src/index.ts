export { createAlertClearedEvent, createAlertRaisedEvent, createHeartbeatEvent } from './bridge-events.js';
export { buildEventSchema, CATALOGUE } from './catalogue.js';
export { compileSchema, type SchemaError, type SchemaValidator } from './compile-schema.js';
export {
  EVENT_TYPES,
  isEventType,
  matchesPattern,
  TOPIC_BY_EVENT_TYPE,
  type EventType,
} from './envelope/event-type.js';
export { definitionOf, FACT_DEFINITIONS, type EventDataByType, type FactType } from './definitions.js';
export {
  createFactEvent,
  eventId,
  factEventId,
  toUuidV4,
  type DetectedEvent,
  type Detection,
  type EventId,
  type Fact,
  type SignedEvent,
} from './event.js';
export {
  documentVersionOf,
  isRestated,
  isUrgent,
  announcesState,
  announcesProblem,
  timePrecisionOf,
} from './event-rules.js';
export { readEventFigures, type Figures } from './figures.js';
export { TEMPLATE_FILTERS } from './identity.js';
export { findForeignAttribute } from './foreign-attribute.js';
export { PRECEDENCES, precedenceOf, type Precedence } from './precedence.js';
export {
  describeProblemKind,
  PROBLEM_KINDS,
  PROBLEM_LEVELS,
  type ProblemKind,
  type ProblemKindDescription,
  type ProblemLevel,
} from './problems/problem-kinds.js';
export {
  measureNameOf,
  problemKindOf,
  readProblemSignal,
  type ProblemSignal,
} from './problems/problem-signal.js';
export { MARKET_OFFSET, toMarketTime } from './envelope/market-time.js';
export { signEvent, verifyProof, type ProofVerdict } from './proof.js';
export { endsFormerAlert, mayAnnounce, type TrustedOrigin, type TrustedSenders } from './trusted-senders.js';
export {
  ALERT_REASON_NAMES,
  BRIDGE_APPS,
  type AlertReason,
  type BridgeApp,
} from './types/alert-reason-names.js';
export {
  ALERT_REASONS,
  alertSeverity,
  isAlertReason,
  type AlertReasonDescription,
} from './types/alert-reasons.js';
export {
  ALL_PARTICIPANTS,
  FURTHER_DOCUMENTS,
  MAX_DOCUMENT_LENGTH,
  MAX_INTERFACE_LENGTH,
  alertSubject,
  isBridgeAlert,
  type AlertReport,
  type AlertTopic,
} from './types/bridge-alert.js';
export {
  isTestHeartbeat,
  MARKET_INTERFACES,
  type InterfacePolls,
  type MarketInterface,
} from './types/heartbeat.js';
export { MAX_DISAGREEMENT_DAYS, type DisagreementDueData } from './types/disagreement.js';
export { MAX_DISCREPANCIES, type InvoiceDiscrepancy } from './types/invoice-discrepancy.js';
export { type InvoiceIssuedData, type InvoiceReversedData } from './types/invoices.js';
export type { InvoiceDocumentStoredData } from './types/invoice-document.js';
export type { PaymentDueData } from './types/payment-due.js';
export { type MarginForecastData } from './types/forecasts.js';
export type { CreditSupportData } from './types/credit-support.js';
export {
  MARGIN_LEVELS,
  marginEventType,
  SEVERITIES,
  type MarginData,
  type MarginLevel,
  type Severity,
} from './types/margin.js';
export { MARKET_ACCESS_CAUSES, type MarketAccessCause } from './types/market-access.js';
export { POSITION_FIGURES, type PositionCalculatedData, type PositionFigure } from './types/positions.js';
export { MAX_REPETITIONS, RUN_DESIGNATIONS } from './types/run-properties.js';
export {
  MAX_CHANGE_LENGTH,
  MAX_STATEMENT_CHANGES,
  type StatementChanges,
} from './types/statement-changes.js';
export { type StatementPublishedData, type StatementRevisedData } from './types/statements.js';
export {
  MAX_ESTIMATION_VARIABLES,
  MAX_TIMELINE_CHANGES,
  TIMELINE_DATES,
  type TimelineChange,
} from './types/timeline.js';
export { sinkSubject } from './deliveries/delivery-parts.js';
export { createTestDelivery, TEST_DELIVERY_TYPE, type TestDelivery } from './deliveries/test-delivery.js';
export {
  DIGEST_DELIVERY_TYPE,
  MAX_DIGEST_EVENTS,
  writeDigestDelivery,
  type DigestDetails,
} from './deliveries/digest-delivery.js';
export {
  problemDeliveryType,
  writeProblemDelivery,
  type DeliveredProblem,
  type DeliveredSilence,
  type ProblemDelivery,
  type ProblemDeliveryDetails,
} from './deliveries/problem-delivery.js';
export { validateDetectedEvent, validateEvent, type SchemaVerdict } from './validate.js';
export { withStatementChanges, withVariablesSummary, type StatementEvent } from './variables-summary.js';
