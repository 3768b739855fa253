import { ABSENT, change } from '@ssb/testing/market-records';
import type { Resource } from '../src/schema/resource.js';
import { type JsonValue, serialiseJson } from '../src/values/json.js';
import type { FieldKind } from './field-kinds.js';

/** One row of a table in document 000. */
export interface FieldRow extends FieldKind {
  readonly required: boolean;
  readonly nullable: boolean;
}

/** The tables of one resource in document 000, with a record that has every field. */
export interface FieldTable<T = unknown> {
  readonly resource: Resource<T>;
  readonly record: string;
  /** Rows by path of the object and by field name: `''` is the record, `tradingDays[0]` an item of a list. */
  readonly objects: Readonly<Record<string, Readonly<Record<string, FieldRow>>>>;
  /** List items that are not objects, by path: `messages[0]`. They are never null. */
  readonly items?: Readonly<Record<string, FieldKind>>;
}

export const required = (kind: FieldKind): FieldRow => ({ ...kind, required: true, nullable: false });
export const optional = (kind: FieldKind): FieldRow => ({ ...kind, required: false, nullable: false });
export const nullable = (kind: FieldKind): FieldRow => ({ ...kind, required: false, nullable: true });

/** One change of the record, and the expected verdict. */
export interface FieldCase {
  readonly path: string;
  readonly text: string;
  /** `refused strictly`: refused by the strict variant only. */
  readonly verdict: 'accepted' | 'refused' | 'refused strictly';
  /** Whether the JSON Schema must give the verdict of the strict variant. False for rules that JSON Schema cannot express. */
  readonly inSchema: boolean;
  readonly json: () => JsonValue;
}

/**
 * All cases of all rows: valid values, one violation of each constraint, null, and absent. A row that the document has
 * once, such as those of LineItem, gets all of them at its first path.
 */
export function listCases({ record, objects, items = {} }: FieldTable): FieldCase[] {
  const createCase = (
    path: string,
    value: string | typeof ABSENT,
    verdict: FieldCase['verdict'],
    inSchema = true,
  ): FieldCase => ({
    path,
    text:
      value === ABSENT ? 'absent' : value.length > 40 ? `${value.slice(0, 40)}… (${value.length})` : value,
    verdict,
    inSchema,
    json: () => change(record, path, value),
  });
  const listValues = (path: string, kind: FieldKind): FieldCase[] => [
    ...kind.valid.map((value) => createCase(path, value, 'accepted')),
    ...kind.invalid.map((value) => createCase(path, value, 'refused')),
    ...(kind.invalidBeyondSchema ?? []).map((value) => createCase(path, value, 'refused', false)),
    ...(kind.invalidStrictly ?? []).map((value) => createCase(path, value, 'refused strictly')),
  ];
  const listed = new Set<FieldKind>();
  const firstTime = (kind: FieldKind): FieldKind => {
    if (listed.has(kind)) return { valid: kind.valid.slice(0, 1), invalid: kind.invalid.slice(0, 1) };
    listed.add(kind);
    return kind;
  };
  const rowCases = Object.entries(objects).flatMap(([object, fields]) =>
    Object.entries(fields).flatMap(([field, row]) => {
      const path = object === '' ? field : `${object}.${field}`;
      return [
        ...listValues(path, firstTime(row)),
        createCase(path, 'null', row.nullable ? 'accepted' : 'refused'),
        createCase(path, ABSENT, row.required ? 'refused' : 'accepted'),
      ];
    }),
  );
  const itemCases = Object.entries(items).flatMap(([path, kind]) => [
    ...listValues(path, kind),
    createCase(path, 'null', 'refused'),
  ]);
  return [...rowCases, ...itemCases];
}

/** The record with several fields changed: path → JSON text, or `ABSENT`. */
export function changeAll(
  record: string,
  changes: Readonly<Record<string, string | typeof ABSENT>>,
): JsonValue {
  return Object.entries(changes).reduce<JsonValue>(
    (json, [path, value]) => change(serialiseJson(json), path, value),
    // Only parses the record, which has no field `unused`.
    change(record, 'unused', ABSENT),
  );
}
