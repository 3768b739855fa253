import { hasDuplicateNames } from './duplicate-names.js';

export type ReadEvent =
  | { readonly ok: true; readonly event: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly detail: string };

/** No event of the catalogue nests deeper than six; what a stranger nests without end must not exhaust the stack. */
const DEEPEST = 32;

/** Reads a payload as one JSON object, whatever its fields, in which no name is given twice. */
export function readEvent(payload: string): ReadEvent {
  let value: unknown;
  try {
    value = JSON.parse(payload);
  } catch {
    // The parser's message would quote the payload.
    return { ok: false, detail: 'the payload is not JSON' };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { ok: false, detail: 'the payload is not a JSON object' };
  }
  if (isDeeperThan(value, DEEPEST)) return { ok: false, detail: 'the payload nests too deep' };
  if (hasDuplicateNames(payload)) return { ok: false, detail: 'the payload gives a name twice' };
  return { ok: true, event: value as Readonly<Record<string, unknown>> };
}

function isDeeperThan(value: object, levels: number): boolean {
  if (levels === 0) return true;
  return Object.values(value).some(
    (each: unknown) => typeof each === 'object' && each !== null && isDeeperThan(each, levels - 1),
  );
}
