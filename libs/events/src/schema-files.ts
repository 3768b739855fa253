import { CATALOGUE } from './catalogue.js';

/** Where the published contract lies, beside the sources and beside what is built of them alike. */
export const SCHEMA_FOLDER = new URL('../schemas/', import.meta.url);

/** Width of a line in the repository's files. */
const WIDTH = 110;
const STEP = 2;

/** The published contract, one JSON file a type: `<type>.json` and its text. */
export function schemaFiles(): ReadonlyMap<string, string> {
  return new Map(CATALOGUE.map(({ type, schema }) => [`${type}.json`, `${layOut(schema, 0, 0)}\n`]));
}

/**
 * JSON laid out as the repository's formatter does, so that generating and formatting do not fight: an object has a line for each
 * member, an array of plain values stands on one line where it fits.
 * @param indent of the line it begins on
 * @param taken characters that stand before it on that line, beyond the indent
 */
function layOut(value: unknown, indent: number, taken: number): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = indent + STEP;
  if (Array.isArray(value)) {
    const items = value.map((item) => layOut(item, inner, 0));
    const line = `[${items.join(', ')}]`;
    // One more for the comma that may follow.
    return indent + taken + line.length + 1 <= WIDTH ? line : block('[', items, ']', indent);
  }
  const members = Object.entries(value).map(([name, member]) => {
    const start = `${JSON.stringify(name)}: `;
    return `${start}${layOut(member, inner, start.length)}`;
  });
  return block('{', members, '}', indent);
}

function block(open: string, lines: readonly string[], close: string, indent: number): string {
  const inner = ' '.repeat(indent + STEP);
  return `${open}\n${lines.map((line) => `${inner}${line}`).join(',\n')}\n${' '.repeat(indent)}${close}`;
}
