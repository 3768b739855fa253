import { parseJson, serialiseJson } from '@ssb/market';

/** A value that no field of document 000 has. */
const UNKNOWN_VALUE = 'a property that the interface document does not know';

/**
 * Adds a property beside `data` or to each resource, and keeps every digit of a number.
 * Returns undefined when every place has the property already.
 */
export function withUnknownProperty(
  body: string,
  property: string,
  where: 'beside-data' | 'in-data',
): string | undefined {
  const root = parseJson(body);
  if (!isObject(root)) return undefined;
  const objects = where === 'beside-data' ? [root] : resourcesIn(root['data']);
  const targets = objects.filter((object) => !Object.hasOwn(object, property));
  if (targets.length === 0) return undefined;
  for (const target of targets) addProperty(target, property);
  return serialiseJson(root);
}

/** Removes the topmost property of this name; undefined when there is none. */
export function withoutProperty(body: string, property: string): string | undefined {
  const root = parseJson(body);
  let level: unknown[] = [root];
  while (level.length > 0) {
    const owner = level.filter(isObject).find((node) => Object.hasOwn(node, property));
    if (owner !== undefined) {
      Reflect.deleteProperty(owner, property);
      return serialiseJson(root);
    }
    level = level.flatMap(childrenOf);
  }
  return undefined;
}

/** The first half of the text of a JSON object, which is never valid JSON. */
export function firstHalf(body: string): string {
  return body.slice(0, Math.ceil(body.length / 2));
}

/** An assignment to `__proto__` would set the prototype instead. */
function addProperty(target: object, property: string): void {
  Object.defineProperty(target, property, { value: UNKNOWN_VALUE, enumerable: true, configurable: true });
}

function resourcesIn(data: unknown): object[] {
  return (Array.isArray(data) ? (data as unknown[]) : [data]).filter(isObject);
}

function childrenOf(node: unknown): unknown[] {
  if (Array.isArray(node)) return node as unknown[];
  return isObject(node) ? Object.values(node) : [];
}

/** `parseJson` represents a number by a class instance, so only plain objects are JSON objects. */
function isObject(node: unknown): node is Record<string, unknown> {
  return typeof node === 'object' && node !== null && Object.getPrototypeOf(node) === Object.prototype;
}
