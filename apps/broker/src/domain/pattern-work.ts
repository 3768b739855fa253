/**
 * How many steps a regular expression can take, at the worst, over a text: `steps` times the text's length to the power of `power`. JavaScript's
 * engine backtracks: it tries every way in which each part may match, so the ways multiply.
 */
export interface PatternWork {
  readonly steps: number;
  readonly power: number;
}

/** Of a repetition of what may itself match in several ways, and of a back reference, no such bound is known here. */
export const BOUNDLESS: PatternWork = { steps: Infinity, power: 0 };

/** `{2}`, `{2,}`, `{2,5}`; a `?` after it changes the order of the ways and not their number. */
const REPEAT = /^(?:([*+?])|\{(\d+)(,(\d*))?\})\??/;
const ESCAPE = /^\\(?:[pPu]\{[^}]*\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|.)/s;
const CLASS = /^\[(?:\\.|[^\]\\])*\]/s;
const OPENING = /^\((?:\?(?:[:=!]|<[=!]|<[^>]*>))?/;
const BACK_REFERENCE = /^\\[1-9k]/;

interface Group {
  readonly steps: number;
  readonly power: number;
  readonly alternatives: number;
}

/**
 * The bound of a pattern that is a valid one of ECMA 262 with the flag `u`. Never too low; for most patterns far too high, as it takes every part for
 * one that can match what the next one could.
 */
export function patternWork(pattern: string): PatternWork {
  let [steps, power, alternatives] = [1, 0, 1];
  const open: Group[] = [];
  let anchored = pattern.startsWith('^');
  /** What the next quantifier repeats: a single character, or a group and whether that can match in several ways. */
  let last: 'character' | 'group' | 'choice' = 'character';
  for (let rest = pattern; rest !== '';) {
    const repeat = REPEAT.exec(rest);
    if (repeat) {
      const ways = waysOf(repeat);
      if (last === 'choice' && repeat[1] !== '?') return BOUNDLESS;
      if (ways === 'any') power += 1;
      else steps *= ways;
      rest = rest.slice(repeat[0].length);
      last = 'character';
      continue;
    }
    if (BACK_REFERENCE.test(rest)) return BOUNDLESS;
    const opening = OPENING.exec(rest);
    const token = opening ?? ESCAPE.exec(rest) ?? CLASS.exec(rest);
    if (opening) {
      open.push({ steps, power, alternatives });
      alternatives = 1;
    } else if (rest.startsWith(')')) {
      const before = open.pop();
      steps *= alternatives;
      last = before && before.steps === steps && before.power === power ? 'group' : 'choice';
      alternatives = before?.alternatives ?? 1;
    } else {
      if (rest.startsWith('|')) {
        alternatives += 1;
        // `^a|b` begins anywhere.
        if (open.length === 0) anchored = false;
      }
      last = 'character';
    }
    rest = rest.slice(token?.[0].length ?? 1);
  }
  return { steps: steps * alternatives, power: anchored ? power : power + 1 };
}

/** In how many ways a quantifier lets its part match. */
function waysOf([, mark, least, range, most]: RegExpExecArray): number | 'any' {
  if (mark !== undefined) return mark === '?' ? 2 : 'any';
  if (range === undefined) return 1;
  return most === '' || most === undefined ? 'any' : Math.max(1, Number(most) - Number(least) + 1);
}
