import { BOUNDLESS, patternWork, plus, type PatternWork } from './pattern-work.js';

/** Every format is a regular expression of the formats' package, none with a repetition in a repetition that could match alike. */
const FORMAT: PatternWork = [0, 0, 4];

/** A number's check in decimal, for each character of the payload: a microsecond for two of them. */
const MULTIPLE = 1_024;

/**
 * How many steps the check of a payload can take, at the worst, as far as its schema's text tells. Pure.
 * @param schema as it was parsed; whatever stands in it counts, wherever it stands
 * @returns for a payload (JSON text) the number of steps, or Infinity when no bound is known: a reference can repeat work within itself
 */
export function schemaWork(schema: unknown): (payload: string) => number {
  const { nodes, compared, patterns } = partsOf(schema);
  return (payload) => {
    const [length, longest] = [payload.length + 1, longestText(payload)];
    // A text is at most as long as the longest, and all together are no longer than the payload.
    const perText = (sum: number, count: number, power: number) =>
      sum + count * length * longest ** Math.max(0, power - 1);
    // Each item is compared with every other.
    return patterns.reduce(perText, nodes * length + compared * length * length);
  };
}

interface Parts {
  /** Keywords and entries. */
  readonly nodes: number;
  /** Lists whose items must differ. */
  readonly compared: number;
  /** All patterns, each over one text. */
  readonly patterns: PatternWork;
}

function partsOf(schema: unknown): Parts {
  let [nodes, compared] = [1, 0];
  let patterns: PatternWork = [];
  const waiting: unknown[] = [schema];
  for (let each = waiting.pop(); each !== undefined; each = waiting.pop()) {
    if (typeof each !== 'object' || each === null) continue;
    for (const [key, value] of Object.entries(each) as [string, unknown][]) {
      nodes += 1;
      if (key === 'multipleOf') nodes += MULTIPLE;
      if (key === 'uniqueItems' && value === true) compared += 1;
      patterns = patternsOf(key, value).reduce(plus, patterns);
      waiting.push(value);
    }
  }
  return { nodes, compared, patterns };
}

function patternsOf(key: string, value: unknown): PatternWork[] {
  switch (key) {
    case 'pattern':
      return typeof value === 'string' ? [patternWork(value)] : [];
    case 'patternProperties':
      return typeof value === 'object' && value !== null ? tested(Object.keys(value)) : [];
    case 'format':
      return typeof value === 'string' ? [FORMAT] : [];
    case '$ref':
      return typeof value === 'string' ? [BOUNDLESS] : [];
    default:
      return [];
  }
}

/** Each is tested once to apply its schema, and once more to tell which properties are additional. */
function tested(patterns: readonly string[]): PatternWork[] {
  return [...patterns, ...patterns].map(patternWork);
}

/** At least as long as any text in a JSON text: the longest stretch between two quotes, of which one behind a backslash is none. */
function longestText(payload: string): number {
  let [longest, from] = [1, 0];
  for (let at = payload.indexOf('"'); at >= 0; at = payload.indexOf('"', at + 1)) {
    if (payload.charAt(at - 1) === '\\') continue;
    longest = Math.max(longest, at - from);
    from = at + 1;
  }
  return Math.max(longest, payload.length - from);
}
