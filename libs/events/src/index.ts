export { buildEventSchema, CATALOGUE } from './catalogue.js';
export type { Detection } from './envelope/envelope.js';
export { eventId, toUuidV4, type EventId } from './envelope/event-id.js';
export { EVENT_TYPES, isEventType, TOPIC_BY_EVENT_TYPE, type EventType } from './envelope/event-type.js';
export type { DetectedEvent, EventDataByType, SignedEvent } from './event.js';
export { findForeignAttribute } from './stated-identity.js';
export { toPrintable } from './printable.js';
export { signEvent, verifyProof, type EventSigningOptions, type ProofVerdict } from './proof.js';
export {
  ALERT_REASON_NAMES,
  ALERT_REASONS,
  BRIDGE_APPS,
  type AlertReason,
  type AlertReasonDescription,
  type BridgeApp,
} from './types/alert-reasons.js';
export {
  ALL_PARTICIPANTS,
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
export {
  createInvoiceIssuedEvent,
  type InvoiceFact,
  type InvoiceIssuedData,
} from './types/invoice-issued.js';
export type { JsonSchema } from './types/json-schema.js';
export {
  createMarginEvent,
  MARGIN_LEVELS,
  marginEventType,
  marginSubject,
  type MarginData,
  type MarginEventType,
  type MarginFact,
  type MarginLevel,
} from './types/margin.js';
export {
  createStatementPublishedEvent,
  statementSubject,
  withVariablesSummary,
  type StatementFact,
  type StatementPublishedData,
  type StatementPublishedEvent,
  type StatementVariable,
  type StatementVariablesSummary,
} from './types/statement-published.js';
export { validateDetectedEvent, validateEvent, type SchemaVerdict } from './validate.js';
