/** Escapes, classes and group openings come first, so that their characters do not match as operators. */
const TOKEN = /\\.|\[(?:\\.|[^\]\\])*\]|\(\?(?:[:=!]|<[=!]?)|(\)?)(?:([*+])|\{(\d+)(,?)(\d*)\}|(\?))\??|\|/gs;

/**
 * An upper bound of the steps that a backtracking engine takes for a pattern, as a function of the text length.
 * Infinity for back references, and for a repeated group after a choice.
 * @param pattern valid in ECMA 262 with the flag `u`
 */
export function estimatePatternSteps(pattern: string): (length: number) => number {
  const isAnchored = pattern.startsWith('^') && !pattern.includes('|');
  const basePower = isAnchored ? 0 : 1;
  let [size, ways, power] = [pattern.length + 1, 1, basePower];
  for (const [token, group, unbounded, min = '', range, max = '', optional] of pattern.matchAll(TOKEN)) {
    if (/^\\[1-9k]/.test(token)) return () => Infinity;
    if (token === '|' || optional !== undefined) ways *= 2;
    if (unbounded === undefined && min === '') continue;
    if (group === ')' && (ways > 1 || power > basePower)) return () => Infinity;
    if (unbounded !== undefined || (range === ',' && max === '')) power += 1;
    const times = Number(max === '' ? min : max);
    if (range === ',') ways *= Math.max(1, times - Number(min) + 1);
    size = group === ')' ? size * Math.max(1, times) : size + times;
  }
  return (length) => size * ways * (length + 1) ** power;
}

/** Steps of one exact decimal division. */
const DECIMAL_STEPS = 1_024;

/** Keywords whose subschemas may fail for a valid payload. Ajv creates an error each time, which takes as long as this many steps. */
const CHOICES = new Set(['anyOf', 'contains', 'if', 'not', 'oneOf', 'propertyNames']);
const ERROR_STEPS = 128;

/**
 * An upper bound of the steps of a schema check, excluding its patterns, by payload length. Infinity for references, which can double the
 * work at every level.
 */
export function estimateSchemaSteps(schema: unknown): (length: number) => number {
  const text = JSON.stringify(schema);
  if (text.includes('"$ref":')) return () => Infinity;
  const rest = JSON.stringify(schema, (key, value: unknown) =>
    CHOICES.has(key) && !(key === 'not' && isPatternOnly(value)) ? undefined : value,
  );
  const parts = count(text, /[:,[]/g);
  const failing = parts - count(rest, /[:,[]/g);
  const linear = 1 + parts + ERROR_STEPS * failing + DECIMAL_STEPS * count(text, /"multipleOf":/g);
  // `uniqueItems` compares every two items, and a format is a pattern of the formats' package.
  const square = 4 * count(text, /"(?:uniqueItems|format)":/g);
  return (length) => linear * (length + 1) + square * (length + 1) ** 2;
}

/** Ajv takes no longer for such a `not` than for the pattern, because it describes no error within `not`. */
function isPatternOnly(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).join() === 'pattern';
}

function count(text: string, expression: RegExp): number {
  return text.match(expression)?.length ?? 0;
}
