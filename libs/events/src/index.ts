export { CATALOGUE, schemaOf } from './catalogue.js';
export { dataschemaOf, sourceOf } from './envelope/compose.js';
export type { DetectedEvent, Detection, SealedEvent } from './envelope/event.js';
export { eventId, type EventId } from './envelope/event-id.js';
export { EVENT_TYPES, isEventType, TOPIC_OF, type EventType } from './envelope/event-type.js';
export { sealEvent, verifyProof, type ProofVerdict, type Sealing } from './proof.js';
export type { DataOf } from './types/data.js';
export { invoiceIssued, type InvoiceFact, type InvoiceIssuedData } from './types/invoice-issued.js';
export {
  MARGIN_LEVELS,
  marginChanged,
  marginEventType,
  marginSubject,
  type MarginData,
  type MarginEventType,
  type MarginFact,
  type MarginLevel,
} from './types/margin.js';
export type { JsonSchema } from './types/schema-parts.js';
export {
  statementPublished,
  statementSubject,
  type StatementFact,
  type StatementPublishedData,
  type StatementVariable,
} from './types/statement-published.js';
export { validateEvent, type SchemaVerdict } from './validate.js';
