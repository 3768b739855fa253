import { countOf } from './text.js';

/** Of objects in objects. Data may be nested without end. */
const MAX_DEPTH = 4;

/** The members of data and of the objects in it, as `totals.payment`. Lists are long, and `--json` has them. */
export function flattenMembers(data: unknown, depth = MAX_DEPTH): [name: string, value: unknown][] {
  return Object.entries(isObject(data) ? data : {}).flatMap(([name, value]) => {
    if (Array.isArray(value)) return [[name, `${countOf(value.length, 'entry', 'entries')}: see --json`]];
    if (!isObject(value)) return [[name, value]];
    if (depth === 1) return [[name, 'see --json']];
    return flattenMembers(value, depth - 1).map(([part, of]): [string, unknown] => [`${name}.${part}`, of]);
  });
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
