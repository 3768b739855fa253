type Json = Readonly<Record<string, unknown>>;
export type Path = readonly (string | number)[];

/** The paths of all values that are neither objects nor arrays. */
export function leafPaths(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  if (Array.isArray(value)) return value.flatMap((item, at) => leafPaths(item, [...path, at]));
  return Object.entries(value).flatMap(([name, member]) => leafPaths(member, [...path, name]));
}

/** The paths of all objects, the root included. */
export function objectPaths(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item, at) => objectPaths(item, [...path, at]));
  return [path, ...Object.entries(value).flatMap(([name, member]) => objectPaths(member, [...path, name]))];
}

/** A deep copy of the document with one value changed; `undefined` removes it. */
export function withChange(document: object, path: Path, change: (before: unknown) => unknown): Json {
  const copy = JSON.parse(JSON.stringify(document)) as Json;
  const last = path.at(-1);
  if (last === undefined) return change(copy) as Json;
  const parent = valueAt(copy, path.slice(0, -1));
  const after = change(parent[last]);
  if (after === undefined) delete parent[last];
  else parent[last] = after;
  return copy;
}

function valueAt(document: unknown, path: Path): Record<string | number, unknown> {
  return path.reduce<Record<string | number, unknown>>(
    (value, key) => value[key] as Record<string | number, unknown>,
    document as Record<string | number, unknown>,
  );
}
