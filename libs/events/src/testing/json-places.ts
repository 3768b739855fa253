type Json = Readonly<Record<string, unknown>>;
export type Path = readonly (string | number)[];

/** The places of every value that is no object or array, as the keys that lead to it. */
export function leaves(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  if (Array.isArray(value)) return value.flatMap((item, at) => leaves(item, [...path, at]));
  return Object.entries(value).flatMap(([name, member]) => leaves(member, [...path, name]));
}

/** The places of every object, the top among them. */
export function objects(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item, at) => objects(item, [...path, at]));
  return [path, ...Object.entries(value).flatMap(([name, member]) => objects(member, [...path, name]))];
}

/** A deep copy through JSON, in which one value is replaced; by undefined, taken away. */
export function altered(document: object, path: Path, change: (before: unknown) => unknown): Json {
  const copy = JSON.parse(JSON.stringify(document)) as Json;
  const last = path.at(-1);
  if (last === undefined) return change(copy) as Json;
  const parent = at(copy, path.slice(0, -1));
  const after = change(parent[last]);
  if (after === undefined) delete parent[last];
  else parent[last] = after;
  return copy;
}

function at(document: unknown, path: Path): Record<string | number, unknown> {
  return path.reduce<Record<string | number, unknown>>(
    (place, key) => place[key] as Record<string | number, unknown>,
    document as Record<string | number, unknown>,
  );
}
