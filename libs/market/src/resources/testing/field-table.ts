import { ABSENT, change } from '@ssb/testing/market-records';
import type { WireJson } from '../../json.js';
import type { Resource } from '../../resource.js';
import type { FieldKind } from './field-kinds.js';

/** One row of a table of document 000. */
export interface FieldRow extends FieldKind {
  readonly required: boolean;
  readonly nullable: boolean;
}

/** The document's tables of one resource, with a record that has every field. */
export interface FieldTable<T = unknown> {
  readonly resource: Resource<T>;
  readonly record: string;
  /** Rows by field name, by the path of the object that has them: `''` is the record, `tradingDays[0]` an item of a list. */
  readonly objects: Readonly<Record<string, Readonly<Record<string, FieldRow>>>>;
  /** Items of lists that hold no objects, by path: `messages[0]`. They are never null. */
  readonly items?: Readonly<Record<string, FieldKind>>;
}

export const required = (kind: FieldKind): FieldRow => ({ ...kind, required: true, nullable: false });
export const optional = (kind: FieldKind): FieldRow => ({ ...kind, required: false, nullable: false });
export const nullable = (kind: FieldKind): FieldRow => ({ ...kind, required: false, nullable: true });

/** One change of the record, and the verdict that the document gives on it. */
export interface FieldCase {
  readonly path: string;
  readonly written: string;
  readonly verdict: 'accepted' | 'refused' | 'refused strictly';
  /** Whether JSON Schema can give the same verdict as the strict form. */
  readonly inSchema: boolean;
  readonly wire: () => WireJson;
}

/** Every case of every row: right values, each constraint broken once, null, and left out. */
export function casesOf({ record, objects, items = {} }: FieldTable): FieldCase[] {
  const put = (
    path: string,
    value: string | typeof ABSENT,
    verdict: FieldCase['verdict'],
    inSchema = true,
  ): FieldCase => ({
    path,
    written:
      value === ABSENT ? 'left out' : value.length > 40 ? `${value.slice(0, 40)}… (${value.length})` : value,
    verdict,
    inSchema,
    wire: () => change(record, path, value),
  });
  const ofKind = (path: string, kind: FieldKind): FieldCase[] => [
    ...kind.good.map((value) => put(path, value, 'accepted')),
    ...kind.bad.map((value) => put(path, value, 'refused')),
    ...(kind.badBeyondSchema ?? []).map((value) => put(path, value, 'refused', false)),
    ...(kind.badStrictly ?? []).map((value) => put(path, value, 'refused strictly')),
  ];
  const rows = Object.entries(objects).flatMap(([object, fields]) =>
    Object.entries(fields).flatMap(([field, row]) => {
      const path = object === '' ? field : `${object}.${field}`;
      return [
        ...ofKind(path, row),
        put(path, 'null', row.nullable ? 'accepted' : 'refused'),
        put(path, ABSENT, row.required ? 'refused' : 'accepted'),
      ];
    }),
  );
  const listed = Object.entries(items).flatMap(([path, kind]) => [
    ...ofKind(path, kind),
    put(path, 'null', 'refused'),
  ]);
  return [...rows, ...listed];
}
