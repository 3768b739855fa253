import { CATALOGUE } from './catalogue.js';
import type { JsonSchema } from './types/json-schema.js';
import { statementPublishedSchema } from './types/statement-published.js';

/** UTF-8 and JSON need at most six bytes for a character: `\u0001`. */
const BYTES_PER_CHARACTER = 6;
/** Characters of the longest text of each pattern without `maxLength`: a UUID, a time, a hash. */
const MAX_PATTERN_LENGTH = 64;
const MAX_INTEGER_LENGTH = 20;

/** Their number has no limit. */
const STATEMENT_VARIABLES = (statementPublishedSchema['properties'] as Record<string, JsonSchema>)[
  'variables'
];

/** An upper bound of the size of a JSON text that a schema accepts, bytes. */
function maxBytes(schema: JsonSchema): number {
  const { type, properties, enum: values, const: value, maxLength, maximum } = schema;
  if (value !== undefined) return byteLength(value);
  if (Array.isArray(values)) return Math.max(...values.map(byteLength));
  if (schema === STATEMENT_VARIABLES) return 0;
  if (type === 'boolean') return byteLength(false);
  if (type === 'integer' && maximum !== undefined) return MAX_INTEGER_LENGTH;
  if (type === 'string') return 2 + BYTES_PER_CHARACTER * Number(maxLength ?? boundOfPattern(schema));
  if (type === 'object' && schema['additionalProperties'] === false) {
    const members = Object.entries(properties as Record<string, JsonSchema>);
    return members.reduce((sum, [name, member]) => sum + byteLength(name) + 2 + maxBytes(member), 2);
  }
  throw new RangeError(`no upper bound: ${JSON.stringify(schema)}`);
}

function boundOfPattern({ pattern }: JsonSchema): number {
  if (typeof pattern !== 'string' || /[^\\][+*]|,\}/.test(pattern))
    throw new RangeError(`no upper bound: ${String(pattern)}`);
  return MAX_PATTERN_LENGTH;
}

function byteLength(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

it.each(CATALOGUE)(
  'an event of type $type has a bounded size, except for the variables of a statement',
  ({ schema }) => {
    expect(maxBytes(schema)).toBeLessThan(65_536);
  },
);
