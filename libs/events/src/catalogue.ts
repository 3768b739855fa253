import { dataschemaUrn } from './envelope/create-event.js';
import { EVENT_TYPES, type EventType } from './envelope/event-type.js';
import { alertClearedSchema, alertRaisedSchema } from './types/bridge-alert.js';
import { heartbeatSchema } from './types/heartbeat.js';
import { invoiceIssuedSchema } from './types/invoice-issued.js';
import { marginSchema } from './types/margin.js';
import { DATE, instant, object, pattern, text, TIME_OF_DAY, type JsonSchema } from './types/json-schema.js';
import { statementPublishedSchema } from './types/statement-published.js';

/** JSON Schema of each type's `data`. */
const DATA_SCHEMAS: Readonly<Record<EventType, JsonSchema>> = {
  'settlementbus.statement.published.v1': statementPublishedSchema,
  'settlementbus.invoice.issued.v1': invoiceIssuedSchema,
  'settlementbus.margin.warning.v1': marginSchema('settlementbus.margin.warning.v1'),
  'settlementbus.margin.breached.v1': marginSchema('settlementbus.margin.breached.v1'),
  'settlementbus.margin.restored.v1': marginSchema('settlementbus.margin.restored.v1'),
  'settlementbus.bridge.alert.raised.v1': alertRaisedSchema,
  'settlementbus.bridge.alert.cleared.v1': alertClearedSchema,
  'settlementbus.bridge.heartbeat.v1': heartbeatSchema,
};

const BASE64URL = '[A-Za-z0-9_-]+';

/** The published JSON Schema (draft-07) of a signed event of one type; also the schema of its topic. */
export function buildEventSchema(type: EventType): JsonSchema {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    $id: dataschemaUrn(type),
    title: type,
    ...object({
      specversion: { const: '1.0' },
      id: pattern('^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$'),
      type: { const: type },
      source: { ...pattern('^urn:settlement-bus-bridge:[^:]+$'), maxLength: 600 },
      subject: text(500),
      // Market time, always UTC+8.
      time: pattern(`^${DATE}T${TIME_OF_DAY}(\\.\\d{1,9})?\\+08:00$`),
      datacontenttype: { const: 'application/json' },
      dataschema: { const: dataschemaUrn(type) },
      participant: text(60),
      sequence: pattern('^\\d{20}$'),
      traceparent: pattern('^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$'),
      detectedat: instant,
      channel: text(255),
      topic: text(255),
      signedat: instant,
      // A JWS with detached payload (RFC 7515 appendix F).
      proof: { ...pattern(`^${BASE64URL}\\.\\.${BASE64URL}$`), maxLength: 1_000 },
      data: DATA_SCHEMAS[type],
    }),
  };
}

/** All event types with their schemas. */
export const CATALOGUE: readonly { readonly type: EventType; readonly schema: JsonSchema }[] =
  EVENT_TYPES.map((type) => ({
    type,
    schema: buildEventSchema(type),
  }));
