import { CATALOGUE } from './catalogue.js';
import { compileSchema, type SchemaValidator } from './compile-schema.js';
import { isEventType, type EventType } from './envelope/event-type.js';
import type { SignedEvent } from './event.js';

export type SchemaVerdict =
  | { readonly ok: true; readonly event: SignedEvent }
  | { readonly ok: false; readonly reason: 'unknown-type' }
  | { readonly ok: false; readonly reason: 'schema'; readonly problems: readonly string[] };

const validators = new Map<EventType, SchemaValidator>();

/** A list of thousands of problems would make a verdict larger than the event. */
const MAX_PROBLEMS = 20;

/**
 * Validates a signed event against the schema of its type. Each problem names a path, never a value; at most 20 are
 * returned.
 */
export function validateEvent(value: unknown): SchemaVerdict {
  const type = typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined;
  const validate = isEventType(type) ? getValidator(type) : undefined;
  if (validate === undefined) return { ok: false, reason: 'unknown-type' };
  if (validate(value)) return { ok: true, event: value as SignedEvent };
  const problems = (validate.errors ?? [])
    .slice(0, MAX_PROBLEMS)
    .map(({ instancePath, message = 'is wrong' }) => `${instancePath || '/'} ${message}`);
  return { ok: false, reason: 'schema', problems };
}

/** What the publisher adds. Each value matches the schema. */
const SIGNATURE = { channel: '-', topic: '-', signedat: '1970-01-01T00:00:00.000Z', proof: '-..-' };

/** Validates an event that is not signed yet. */
export function validateDetectedEvent(value: unknown): SchemaVerdict {
  return validateEvent(typeof value === 'object' && value !== null ? { ...value, ...SIGNATURE } : value);
}

/** Compiled at first use: compiling takes milliseconds, validating microseconds. */
function getValidator(type: EventType): SchemaValidator | undefined {
  const cached = validators.get(type);
  const schema = CATALOGUE.find((entry) => entry.type === type)?.schema;
  if (cached !== undefined || schema === undefined) return cached;
  const compiled = compileSchema(schema);
  validators.set(type, compiled);
  return compiled;
}
