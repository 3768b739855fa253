export { buildEventSchema, CATALOGUE } from './catalogue.js';
export type { Detection } from './envelope/envelope.js';
export { eventId, type EventId } from './envelope/event-id.js';
export { EVENT_TYPES, isEventType, TOPIC_BY_EVENT_TYPE, type EventType } from './envelope/event-type.js';
export type { DetectedEvent, EventDataByType, SignedEvent } from './event.js';
export { signEvent, verifyProof, type EventSigningOptions, type ProofVerdict } from './proof.js';
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
  type StatementFact,
  type StatementPublishedData,
  type StatementVariable,
} from './types/statement-published.js';
export { validateEvent, type SchemaVerdict } from './validate.js';
