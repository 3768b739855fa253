import { EVENT_TYPES, type EventType } from './envelope/event-type.js';
import { definitionOf } from './definitions.js';
import { dataschemaUrn } from './event.js';
import {
  constant,
  DATE,
  instant,
  object,
  pattern,
  text,
  TIME_OF_DAY,
  type JsonSchema,
} from './types/json-schema.js';

const BASE64URL = '[A-Za-z0-9_-]+';

/** The published JSON Schema (draft-07) of a signed event of one type; also the schema of its topic. */
export function buildEventSchema(type: EventType): JsonSchema {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    $id: dataschemaUrn(type),
    title: type,
    ...object(
      {
        specversion: { const: '1.0' },
        id: pattern('^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$'),
        type: { const: type },
        source: { ...pattern('^urn:settlement-bus-bridge:[^:]+$'), maxLength: 600 },
        subject: text(500),
        // Market time, always UTC+8.
        time: pattern(`^${DATE}T${TIME_OF_DAY}(\\.[0-9]{1,9})?\\+08:00$`),
        datacontenttype: { const: 'application/json' },
        dataschema: { const: dataschemaUrn(type) },
        participant: text(60),
        sequence: pattern('^[0-9]{20}$'),
        traceparent: pattern('^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$'),
        detectedat: instant,
        channel: text(255),
        topic: text(255),
        signedat: instant,
        // A JWS with detached payload (RFC 7515 appendix F).
        proof: { ...pattern(`^${BASE64URL}\\.\\.${BASE64URL}$`), maxLength: 1_000 },
        backfilled: constant(true),
        data: definitionOf(type).schema,
      },
      ['backfilled'],
    ),
  };
}

/** All event types with their schemas. */
export const CATALOGUE: readonly { readonly type: EventType; readonly schema: JsonSchema }[] =
  EVENT_TYPES.map((type) => ({
    type,
    schema: buildEventSchema(type),
  }));
