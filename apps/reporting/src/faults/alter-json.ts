import { parseJson, serialiseJson } from '@ssb/market';

/** A value that no field of document 000 has. */
const SURPRISE = 'a property that the interface document does not know';

/**
 * The body with one property more: beside `data`, or in the resource, in each one of a list. Undefined where every place has it already.
 * Every digit of a number is kept.
 */
export function withUnknownProperty(
  body: string,
  property: string,
  where: 'beside-data' | 'in-data',
): string | undefined {
  const root = parseJson(body);
  if (!isObject(root)) return undefined;
  const hosts = where === 'beside-data' ? [root] : resourcesIn(root['data']);
  const free = hosts.filter((host) => !Object.hasOwn(host, property));
  if (free.length === 0) return undefined;
  for (const host of free) define(host, property);
  return serialiseJson(root);
}

/** The body without its topmost property of this name; undefined where it has none. */
export function withoutProperty(body: string, property: string): string | undefined {
  const root = parseJson(body);
  let level: unknown[] = [root];
  while (level.length > 0) {
    const host = level.filter(isObject).find((node) => Object.hasOwn(node, property));
    if (host !== undefined) {
      Reflect.deleteProperty(host, property);
      return serialiseJson(root);
    }
    level = level.flatMap(childrenOf);
  }
  return undefined;
}

/** The first half of a JSON text; of an object's text any part but the whole is no JSON. */
export function firstHalf(body: string): string {
  return body.slice(0, Math.ceil(body.length / 2));
}

/** Not an assignment, which would take `__proto__` for something else than a name. */
function define(host: object, property: string): void {
  Object.defineProperty(host, property, { value: SURPRISE, enumerable: true, configurable: true });
}

function resourcesIn(data: unknown): object[] {
  return (Array.isArray(data) ? (data as unknown[]) : [data]).filter(isObject);
}

function childrenOf(node: unknown): unknown[] {
  if (Array.isArray(node)) return node as unknown[];
  return isObject(node) ? Object.values(node) : [];
}

/** A number is an object of a class of its own in memory: only plain ones are JSON objects. */
function isObject(node: unknown): node is Record<string, unknown> {
  return typeof node === 'object' && node !== null && Object.getPrototypeOf(node) === Object.prototype;
}
