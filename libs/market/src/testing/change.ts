import { parseJson } from '../json.js';

/** Marks a property that is taken away. */
export const ABSENT = Symbol('absent');

/**
 * The record with one place changed: `change(STATEMENT, 'tradingDays[0].tradingDay', '"x"')`. The new value is JSON text, so
 * that a number keeps its digits.
 */
export function change(record: string, path: string, value: string | typeof ABSENT): unknown {
  const root: unknown = parseJson(record);
  const keys = path.split(/[.[\]]+/).filter((key) => key !== '');
  const last = keys.pop() ?? '';
  const holder = keys.reduce<Record<string, unknown>>(
    (at, key) => at[key] as Record<string, unknown>,
    root as Record<string, unknown>,
  );
  if (value === ABSENT) delete holder[last];
  else holder[last] = parseJson(value);
  return root;
}
