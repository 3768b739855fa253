import { JSON_PART } from '../../format/json-text.js';

/**
 * The text of one member of a JSON object, as it was sent. Reading and writing it again could change the digits of its numbers.
 * @returns undefined when the object has no such member
 */
export function findMemberText(json: string, name: string): string | undefined {
  let depth = 0;
  let start: number | undefined;
  let parts: readonly [string, string] = ['', ''];
  for (const { 0: part, index } of json.matchAll(JSON_PART)) {
    const isEnd = part === '}' || part === ']';
    if (depth === 1 && start !== undefined && (part === ',' || isEnd)) return json.slice(start, index).trim();
    if (part === '{' || part === '[') depth += 1;
    if (isEnd) depth -= 1;
    const isNamed = parts[0] === JSON.stringify(name) && parts[1] === ':';
    const isOfObject = depth === 1 || (depth === 2 && (part === '{' || part === '['));
    if (start === undefined && isNamed && isOfObject) start = index;
    parts = [parts[1], part];
  }
  return undefined;
}
