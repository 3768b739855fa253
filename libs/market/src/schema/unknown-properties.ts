import { type JsonValue } from '../values/json.js';
import { formatPath } from './path.js';

/**
 * The paths of the properties of a JSON value that its read value lacks: the tolerant variant drops what document 000 does not have.
 * @param omitted paths of list items that were not read
 */
export function findUnknownProperties(
  json: JsonValue,
  read: unknown,
  omitted: readonly (readonly PropertyKey[])[] = [],
): string[] {
  const omittedPaths = new Set(omitted.map(formatPath));
  const found: string[] = [];
  const path: PropertyKey[] = [];
  const isOmitted = (): boolean => omittedPaths.size > 0 && omittedPaths.has(formatPath(path));

  const compareAt = (key: PropertyKey, compareItem: () => void): void => {
    path.push(key);
    compareItem();
    path.pop();
  };
  const compare = (sent: JsonValue, kept: unknown): void => {
    if (typeof kept !== 'object' || kept === null || typeof sent !== 'object' || sent === null) return;
    if (Array.isArray(sent) && Array.isArray(kept)) {
      let next = 0;
      for (const [index, item] of sent.entries())
        compareAt(index, () => {
          if (!isOmitted()) compare(item, kept[next++]);
        });
      return;
    }
    for (const [name, value] of Object.entries(sent))
      compareAt(name, () => {
        if (Object.hasOwn(kept, name)) compare(value, (kept as Record<string, unknown>)[name]);
        else found.push(formatPath(path));
      });
  };
  compare(json, read);
  return found;
}
