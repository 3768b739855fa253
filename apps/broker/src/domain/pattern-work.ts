/**
 * How many steps a regular expression can take, at the worst, over a text of a length: the number at each place times the length to the
 * power of that place. JavaScript's engine backtracks: it tries every way in which each part may match, so the ways multiply.
 */
export type PatternWork = readonly number[];

/** Of a repetition of what may itself match in several ways, and of a back reference, no bound is known here. */
export const BOUNDLESS: PatternWork = [Infinity];

/** `*`, `{2}`, `{2,}`, `{2,5}`; a `?` after it changes the order of the ways and not their number. */
const REPEAT = /^(?:([*+?])|\{(\d+)(,(\d*))?\})\??/;
const ESCAPE = /^\\(?:[pPu]\{[^}]*\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|.)/s;
const CLASS = /^\[(?:\\.|[^\]\\])*\]/s;
const OPENING = /^\((?:\?(?:[:=!]|<[=!]|<[^>]*>))?/;
const BACK_REFERENCE = /^\\[1-9k]/;

/** In how many ways everything so far can match: `count` times the length to the power of `power`. */
interface Ways {
  readonly count: number;
  readonly power: number;
}

interface Group {
  readonly ways: Ways;
  readonly work: PatternWork;
  readonly alternatives: number;
}

/**
 * The bound of a pattern that is a valid one of ECMA 262 with the flag `u`. Never too low; for most patterns far too high, as it takes
 * every part for one that can match what the next one could.
 */
export function patternWork(pattern: string): PatternWork {
  let ways: Ways = { count: 1, power: 0 };
  let work: PatternWork = [1];
  let alternatives = 1;
  let anchored = pattern.startsWith('^');
  const open: Group[] = [];
  /** What the next quantifier repeats: its work, and whether it can match in one way alone. */
  let last = { work: [] as PatternWork, single: true };
  for (let rest = pattern; rest !== '';) {
    const repeat = REPEAT.exec(rest);
    if (repeat) {
      const { most, choices } = boundsOf(repeat);
      if (!last.single && repeat[1] !== '?') return BOUNDLESS;
      work = plus(
        work,
        most === Infinity ? [0, ...last.work] : last.work.map((each) => each * Math.max(0, most - 1)),
      );
      ways =
        most === Infinity
          ? { ...ways, power: ways.power + 1 }
          : { ...ways, count: ways.count * Math.max(1, choices) };
      rest = rest.slice(repeat[0].length);
      continue;
    }
    if (BACK_REFERENCE.test(rest)) return BOUNDLESS;
    const opening = OPENING.exec(rest);
    const token = (opening ?? ESCAPE.exec(rest) ?? CLASS.exec(rest))?.[0] ?? rest.charAt(0);
    rest = rest.slice(token.length);
    const step = workOf(ways);
    work = plus(work, step);
    last = { work: step, single: true };
    if (opening) {
      open.push({ ways, work, alternatives });
      alternatives = 1;
    } else if (token === ')') {
      const before = open.pop() ?? { ways, work, alternatives };
      ways = { ...ways, count: ways.count * alternatives };
      const single = ways.count === before.ways.count && ways.power === before.ways.power;
      last = {
        work: plus(
          work,
          before.work.map((each) => -each),
        ),
        single,
      };
      alternatives = before.alternatives;
    } else if (token === '|') {
      alternatives += 1;
      // `^a|b` begins anywhere.
      if (open.length === 0) anchored = false;
    }
  }
  return anchored ? work : [0, ...work];
}

/** How often at most a quantifier repeats its part, and between how many numbers of times it may choose. */
function boundsOf([, mark, least, range, most]: RegExpExecArray): { most: number; choices: number } {
  if (mark !== undefined) return mark === '?' ? { most: 1, choices: 2 } : { most: Infinity, choices: 1 };
  if (range === undefined) return { most: Number(least), choices: 1 };
  if (most === '' || most === undefined) return { most: Infinity, choices: 1 };
  return { most: Number(most), choices: Number(most) - Number(least) + 1 };
}

function workOf({ count, power }: Ways): PatternWork {
  return [...new Array<number>(power).fill(0), count];
}

/** The work of both. */
export function plus(one: PatternWork, other: PatternWork): PatternWork {
  const length = Math.max(one.length, other.length);
  return Array.from({ length }, (_, at) => (one[at] ?? 0) + (other[at] ?? 0));
}
