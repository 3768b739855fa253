import type { Issue, WireJson } from '@ssb/market';

/** Where the texts stand that records are kept and found by, in any of the loads. */
const KEYS = [['participantCode'], ['statement', 'participantCode'], ['invoice', 'id']] as const;

/** A code is something that can be printed and typed; SQL text cannot even hold a zero character. */
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}]+$/u;

/** Which keys of a load are there but cannot be kept: empty, or with control characters. */
export function unstorableKeys(load: WireJson): Issue[] {
  return KEYS.flatMap((path) => {
    const value = path.reduce<unknown>(
      (node, part) => (typeof node === 'object' && node !== null ? Reflect.get(node, part) : undefined),
      load,
    );
    if (value === undefined || (typeof value === 'string' && PRINTABLE.test(value))) return [];
    return [{ path: path.join('.'), message: 'expected a code of printable characters' }];
  });
}
