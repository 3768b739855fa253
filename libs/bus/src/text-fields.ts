import { hasUtf8Form } from './well-formed-text.js';

/** What a field of a message may be. Every field is text that has a UTF-8 form. */
export interface TextRule {
  readonly isOptional?: boolean;
  /** Characters; 0 when omitted. */
  readonly minLength?: number;
  readonly maxLength?: number;
}

/** A rule for each field of a message. */
export type TextRules<T> = { readonly [Name in keyof T]-?: TextRule };

export interface TextFault {
  /** Name of the field; empty when the value is no object. */
  readonly path: string;
  readonly message: string;
}

export type TextFieldsReading<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly faults: readonly TextFault[] };

/** Reads an object of text fields; those without a rule are dropped. Written by hand, as messages are many (decision 25). */
export function readTextFields<T extends object>(given: unknown, rules: TextRules<T>): TextFieldsReading<T> {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return { ok: false, faults: [{ path: '', message: 'The message must be a JSON object' }] };
  const value: Record<string, unknown> = {};
  const faults: TextFault[] = [];
  for (const path in rules) {
    const field = (given as Readonly<Record<string, unknown>>)[path];
    const requirement = requirementOf(field, rules[path]);
    if (requirement !== undefined) faults.push({ path, message: `${path} ${requirement}` });
    else if (field !== undefined) value[path] = field;
  }
  return faults.length > 0 ? { ok: false, faults } : { ok: true, value: value as T };
}

/** What the field does not meet; undefined when it is as it must be. */
function requirementOf(
  field: unknown,
  { isOptional = false, minLength = 0, maxLength = Infinity }: TextRule,
): string | undefined {
  if (field === undefined && isOptional) return undefined;
  if (typeof field !== 'string') return 'must be a string';
  if (field.length < minLength) return `must have at least ${minLength} characters`;
  if (field.length > maxLength) return `must have at most ${maxLength} characters`;
  return hasUtf8Form(field) ? undefined : 'must have a UTF-8 form: it has half a surrogate pair';
}
