import { CATALOGUE } from './catalogue.js';
import { listFields } from '../test/fields.js';
import { FURTHER_EVENTS, SIGNED_EVENTS } from '../test/sample-events.js';
import { objectPaths } from '../test/json-paths.js';
import { statementPublished, statementRevised } from './types/statements.js';
import type { JsonSchema } from './types/json-schema.js';

/** A quarter of the default maximum of a message. */
const MAX_EVENT_BYTES = 262_144;
const MAX_SCHEMA_BYTES = 65_536;

/** UTF-8 and JSON need at most six bytes for a character: `\u0001`. */
const BYTES_PER_CHARACTER = 6;
/** Characters of the longest text of each pattern without `maxLength`: a UUID, a time, a hash. */
const MAX_PATTERN_LENGTH = 64;
const MAX_INTEGER_LENGTH = 20;

/** Their number has no limit. A statement that is too large has a summary instead. */
const STATEMENT_VARIABLES = [statementPublished, statementRevised].map(
  ({ schema }) => (schema['properties'] as Record<string, JsonSchema>)['variables'],
);

/** An upper bound of the size of a JSON text that a schema accepts, bytes. */
function maxBytes(schema: JsonSchema): number {
  const { type, properties, enum: values, const: value, maxItems, items } = schema;
  if (value !== undefined) return byteLength(value);
  if (Array.isArray(values)) return Math.max(...values.map(byteLength));
  if (STATEMENT_VARIABLES.includes(schema)) return 0;
  if (type === 'boolean') return byteLength(false);
  if (type === 'integer' && schema['maximum'] !== undefined) return MAX_INTEGER_LENGTH;
  if (type === 'string') return 2 + maxBytesOfText(schema);
  if (type === 'array' && maxItems !== undefined)
    return 2 + Number(maxItems) * (1 + maxBytes(items as JsonSchema));
  if (type === 'object' && schema['additionalProperties'] === false) {
    const members = Object.entries(properties as Record<string, JsonSchema>);
    return members.reduce((sum, [name, member]) => sum + byteLength(name) + 2 + maxBytes(member), 2);
  }
  throw new RangeError(`no upper bound: ${JSON.stringify(schema)}`);
}

function maxBytesOfText({ pattern, maxLength }: JsonSchema): number {
  if (typeof pattern !== 'string') return BYTES_PER_CHARACTER * Number(maxLength);
  if (maxLength === undefined && /[^\\][+*]|,\}/.test(pattern))
    throw new RangeError(`no upper bound: ${pattern}`);
  // A quotation mark needs two bytes; other visible ASCII characters need one.
  const bytes = pattern.includes('[^') ? BYTES_PER_CHARACTER : pattern.includes('!-~') ? 2 : 1;
  return bytes * Number(maxLength ?? MAX_PATTERN_LENGTH);
}

function byteLength(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

const EVENTS = [...Object.values(SIGNED_EVENTS), ...FURTHER_EVENTS];

it.each(CATALOGUE)(
  '$type has a bounded, described schema whose members are all in sample events',
  ({ type, schema }) => {
    expect(maxBytes(schema)).toBeLessThan(MAX_EVENT_BYTES);
    expect(byteLength(schema)).toBeLessThan(MAX_SCHEMA_BYTES);
    const events = EVENTS.filter((each) => each.type === type);
    const present = new Set(events.flatMap((event) => objectPaths(event).flatMap(membersOf(event))));
    // Attributes are the same for each type.
    present.add('backfilled');
    const wrong = listFields(schema).flatMap(({ path, schema: field }) => {
      const isFreeText = field['type'] === 'string' && !('pattern' in field) && !('maxLength' in field);
      const isTyped = 'type' in field || 'enum' in field || 'const' in field;
      const { description } = field;
      const isDescribed = typeof description === 'string' && /^[`\w].*\.$/s.test(description);
      return [
        ...(isFreeText ? [`${path} is an unbounded text`] : []),
        ...(isTyped ? [] : [`${path} has no type, list of values or value`]),
        ...(isDescribed || !path.startsWith('data.') ? [] : [`${path} has no description in sentences`]),
        ...(present.has(path) ? [] : [`${path} is in no sample event`]),
      ];
    });
    expect(wrong).toEqual([]);
  },
);

it('some event has every attribute of the envelope', () => {
  expect(FURTHER_EVENTS.some(({ backfilled }) => backfilled)).toBe(true);
});

/** Paths such as `data.variables[].value`. */
function membersOf(event: object) {
  return (path: readonly (string | number)[]): string[] => {
    const value = path.reduce<unknown>((each, key) => (each as Record<string | number, unknown>)[key], event);
    return Object.keys(value as object).map((name) =>
      [...path, name]
        .map((key) => (typeof key === 'number' ? '[]' : key))
        .join('.')
        .replaceAll('.[]', '[]'),
    );
  };
}
