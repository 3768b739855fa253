import { z } from 'zod';

/** Whether a text has a UTF-8 form, that is, no lone surrogate (RFC 3629 §3). */
export function isWellFormed(text: string): boolean {
  // With the u flag, a surrogate pair is one code point, so this class matches lone surrogates only.
  return !/\p{Surrogate}/u.test(text);
}

/** Text with a UTF-8 form. JSON can contain a lone surrogate; such text cannot be signed or sent unchanged. */
export function wellFormedText(): z.ZodString {
  return z.string().refine(isWellFormed, 'must be text with a UTF-8 form: it has half a surrogate pair');
}

/** The rule for one text field. Every text must also be well-formed. */
export interface TextRule {
  readonly isOptional?: boolean;
  /** Characters. Default 0. */
  readonly minLength?: number;
  /** Characters. Default: no limit. */
  readonly maxLength?: number;
}

/** A rule for each field of a message. */
export type TextRules<T> = { readonly [Name in keyof T]-?: TextRule };

export interface TextFault {
  /** Name of the field; empty when the value is not an object. */
  readonly path: string;
  readonly message: string;
}

export type TextFieldsResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly faults: readonly TextFault[] };

/** Reads an object of text fields and drops fields without a rule. Not zod, for speed (decision 25). */
export function readTextFields<T extends object>(given: unknown, rules: TextRules<T>): TextFieldsResult<T> {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return { ok: false, faults: [{ path: '', message: 'The message must be a JSON object' }] };
  const value: Record<string, unknown> = {};
  const faults: TextFault[] = [];
  for (const path in rules) {
    const field = (given as Readonly<Record<string, unknown>>)[path];
    const violation = findViolation(field, rules[path]);
    if (violation !== undefined) faults.push({ path, message: `${path} ${violation}` });
    else if (field !== undefined) value[path] = field;
  }
  return faults.length > 0 ? { ok: false, faults } : { ok: true, value: value as T };
}

function findViolation(
  field: unknown,
  { isOptional = false, minLength = 0, maxLength = Infinity }: TextRule,
): string | undefined {
  if (field === undefined && isOptional) return undefined;
  if (typeof field !== 'string') return 'must be a string';
  if (field.length < minLength) return `must have at least ${minLength} characters`;
  if (field.length > maxLength) return `must have at most ${maxLength} characters`;
  return isWellFormed(field) ? undefined : 'must have a UTF-8 form: it has half a surrogate pair';
}
