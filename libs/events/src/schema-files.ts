import { CATALOGUE } from './catalogue.js';

/** `libs/events/schemas`; the same folder from `src` and from `dist`. */
export const SCHEMA_FOLDER = new URL('../schemas/', import.meta.url);

/** Line width and indent of the repository's formatter. */
const LINE_WIDTH = 110;
const INDENT = 2;

/** The published schema files: `<type>.json` and its text. */
export function schemaFiles(): ReadonlyMap<string, string> {
  return new Map(CATALOGUE.map(({ type, schema }) => [`${type}.json`, toJsonFile(schema)]));
}

/** The text of a JSON file, formatted as the repository's formatter does. */
export function toJsonFile(value: object): string {
  return `${formatJson(value, 0, 0)}\n`;
}

/**
 * Formats JSON as the repository's formatter does, so that formatting leaves the generated files unchanged.
 * @param indent indent of the line on which the value begins
 * @param prefixLength characters before the value on that line, without the indent
 */
function formatJson(value: unknown, indent: number, prefixLength: number): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = indent + INDENT;
  if (Array.isArray(value)) {
    const items = value.map((item) => formatJson(item, inner, 0));
    const line = `[${items.join(', ')}]`;
    // The 1 is for a comma that may follow.
    return indent + prefixLength + line.length + 1 <= LINE_WIDTH ? line : block('[', items, ']', indent);
  }
  const members = Object.entries(value).map(([name, member]) => {
    const start = `${JSON.stringify(name)}: `;
    return `${start}${formatJson(member, inner, start.length)}`;
  });
  return block('{', members, '}', indent);
}

function block(open: string, lines: readonly string[], close: string, indent: number): string {
  const inner = ' '.repeat(indent + INDENT);
  return `${open}\n${lines.map((line) => `${inner}${line}`).join(',\n')}\n${' '.repeat(indent)}${close}`;
}
