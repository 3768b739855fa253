import type { JsonValue } from '../values/json.js';
import { isRangeIssue } from '../values/date-range.js';
import { formatPath } from './path.js';
import { type Issue, type Resource, issuesOf } from './resource.js';
import { findUnknownProperties } from './unknown-properties.js';

/** More than a body of 10 MB can have with their fields. Beyond these, the whole record is unreadable. */
const MAX_UNREADABLE_ITEMS = 100_000;
/** An item can have as many issues as fields. */
const MAX_ISSUES_PER_ITEM = 20;

/** Stands for every item of a list in an `ItemPath`. */
export const EACH = Symbol('each');

/** Path of the items of a list that may be unreadable: `['data', 'cycles', EACH]`. */
export type ItemPath = readonly (string | typeof EACH)[];

/** An item of a list that was left out, because it breaks document 000. */
export interface UnreadableItem {
  /** Path of the item: `data[3]`, `data.cycles[2].runs[0]`. */
  readonly path: string;
  /** The first twenty, with full paths such as `data[3].tradingMargin`. Without values of the response. */
  readonly issues: readonly Issue[];
  /** The items on the path, the outermost first, as they were sent: a cycle, then its run. */
  readonly values: readonly JsonValue[];
}

/** Whether nothing but unset dates is wrong with an item. It is the same in each response, so it never becomes readable. */
export function hasOnlyUnsetDates({ issues }: UnreadableItem): boolean {
  return issues.length > 0 && issues.every(isRangeIssue);
}

/** A response without its unreadable items. */
export interface PartialResponse<T> {
  readonly value: T;
  readonly unreadable: readonly UnreadableItem[];
}

/** A partial response with the place of each item that its outermost list kept. */
export interface IndexedResponse<T> extends PartialResponse<T> {
  readonly indexes: readonly number[];
}

export type PartialReadResult<T> =
  | (IndexedResponse<T> & { readonly ok: true; readonly unknownProperties: readonly string[] })
  | { readonly ok: false; readonly issues: readonly Issue[] };

type Path = readonly PropertyKey[];

/** An item to omit, with everything that is wrong inside of it. */
interface UnreadableGroup {
  readonly path: Path;
  readonly issues: readonly Issue[];
}

interface FoundIssues {
  readonly issues: readonly Issue[];
  /** The innermost item that contains them; undefined when they are outside of every item. */
  readonly item: Path | undefined;
}

/**
 * Reads a value of `parseJson` with the tolerant variant, and leaves out the unreadable ones of these items. An issue costs the innermost
 * item that contains it. All paths are those of the given value.
 */
export function readPartially<T>(
  resource: Resource<T>,
  json: JsonValue,
  items: readonly ItemPath[],
): PartialReadResult<T> {
  const succeed = (value: T, omitted: readonly UnreadableGroup[]): PartialReadResult<T> => {
    const paths = omitted.map(({ path }) => path);
    const unknownProperties = findUnknownProperties(json, value, paths);
    const unreadable = omitted.map(({ path, issues }) => ({
      path: formatPath(path),
      issues: issues.slice(0, MAX_ISSUES_PER_ITEM),
      values: listItems(json, path),
    }));
    const indexes = listKept(json, items[0] ?? [], omitted);
    return { ok: true, value, unreadable, indexes, unknownProperties };
  };
  const whole = resource.tolerant.safeParse(json);
  if (whole.success) return succeed(whole.data, []);
  const found = whole.error.issues.map((issue): FoundIssues => {
    return { issues: issuesOf(issue), item: innermostItem(issue.path, items) };
  });
  const omitted = groupByItem(found);
  const fail = (): PartialReadResult<T> => ({ ok: false, issues: found.flatMap(({ issues }) => issues) });
  if (omitted === undefined) return fail();
  const rest = resource.tolerant.safeParse(
    omitItems(
      json,
      omitted.map(({ path }) => path),
    ),
  );
  return rest.success ? succeed(rest.data, omitted) : fail();
}

/** The items of lists that a path passes. */
function listItems(json: JsonValue, path: Path): readonly JsonValue[] {
  let value = json;
  return path.flatMap((part) => {
    value = (value as Record<PropertyKey, JsonValue> | null)?.[part];
    return typeof part === 'number' ? [value] : [];
  });
}

/** The indexes of the list of these items without the omitted ones. */
function listKept(json: JsonValue, item: ItemPath, omitted: readonly UnreadableGroup[]): readonly number[] {
  const gone = new Set(
    omitted.filter(({ path }) => path.length === item.length).map(({ path }) => path.at(-1)),
  );
  let list = json;
  for (const part of item.slice(0, -1)) list = (list as Record<PropertyKey, JsonValue> | null)?.[part];
  return Array.isArray(list) ? [...list.keys()].filter((index) => !gone.has(index)) : [];
}

function innermostItem(path: Path, items: readonly ItemPath[]): Path | undefined {
  const lengths = items.filter((item) => isInside(path, item)).map(({ length }) => length);
  return lengths.length === 0 ? undefined : path.slice(0, Math.max(...lengths));
}

function isInside(path: Path, item: ItemPath): boolean {
  return item.every((part, index) =>
    part === EACH ? typeof path[index] === 'number' : part === path[index],
  );
}

/** The items to omit. An item inside of another unreadable one is part of it. Undefined when the record is unreadable. */
function groupByItem(found: readonly FoundIssues[]): UnreadableGroup[] | undefined {
  const keys = new Set(found.map(({ item }) => item && formatPath(item)));
  const groups = new Map<string, { readonly path: Path; readonly issues: Issue[] }>();
  for (const { item, issues } of found) {
    if (item === undefined) return undefined;
    const outermost = item.findIndex((_, index) => keys.has(formatPath(item.slice(0, index + 1))));
    const path = item.slice(0, outermost + 1);
    const group = groups.get(formatPath(path)) ?? { path, issues: [] };
    group.issues.push(...issues);
    groups.set(formatPath(path), group);
  }
  return groups.size > MAX_UNREADABLE_ITEMS ? undefined : [...groups.values()];
}

/** A copy of the value without the items at these paths. */
function omitItems(value: JsonValue, paths: readonly Path[]): JsonValue {
  if (paths.length === 0) return value;
  const below = new Map<PropertyKey | undefined, Path[]>();
  for (const [key, ...tail] of paths) {
    const tails = below.get(key) ?? [];
    tails.push(tail);
    below.set(key, tails);
  }
  const pathsIn = (key: PropertyKey): Path[] => below.get(key) ?? [];
  if (Array.isArray(value))
    return value.flatMap((item: JsonValue, index) =>
      pathsIn(index).some(({ length }) => length === 0) ? [] : [omitItems(item, pathsIn(index))],
    );
  const fields = Object.entries(value as Record<string, JsonValue>);
  return Object.fromEntries(fields.map(([key, field]) => [key, omitItems(field, pathsIn(key))]));
}
