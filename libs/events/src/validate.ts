import { Ajv, type ValidateFunction } from 'ajv';
import { CATALOGUE } from './catalogue.js';
import type { SealedEvent } from './envelope/event.js';
import { isEventType, type EventType } from './envelope/event-type.js';

export type SchemaVerdict =
  | { readonly ok: true; readonly event: SealedEvent }
  | { readonly ok: false; readonly reason: 'unknown-type' }
  | { readonly ok: false; readonly reason: 'schema'; readonly problems: readonly string[] };

const ajv = new Ajv({ allErrors: true, strict: true });
const validators = new Map<EventType, ValidateFunction>();

/** Compiled once, at first use: compiling takes milliseconds, validating microseconds. */
function validatorOf(type: EventType): ValidateFunction | undefined {
  const known = validators.get(type);
  const schema = CATALOGUE.find((each) => each.type === type)?.schema;
  if (known !== undefined || schema === undefined) return known;
  const compiled = ajv.compile(schema);
  validators.set(type, compiled);
  return compiled;
}

/** Enough to mend a wrong event by; a long list of wrong variables would otherwise make a verdict larger than the event. */
const MOST_PROBLEMS = 20;

/**
 * Whether a value is a sealed event of a known type, exactly as its schema says. Problems name the path, never the value, and are
 * the first 20.
 */
export function validateEvent(value: unknown): SchemaVerdict {
  const type = typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined;
  const validate = isEventType(type) ? validatorOf(type) : undefined;
  if (validate === undefined) return { ok: false, reason: 'unknown-type' };
  if (validate(value)) return { ok: true, event: value as SealedEvent };
  const problems = (validate.errors ?? [])
    .slice(0, MOST_PROBLEMS)
    .map(({ instancePath, message = 'is wrong' }) => `${instancePath || '/'} ${message}`);
  return { ok: false, reason: 'schema', problems };
}
