import type { EventType } from '@ssb/events';
import { compareDecimals, type Decimal } from '@ssb/market/decimal';
import type { AlertRule } from './rule-schema.js';
import { AMOUNTS } from './amount-of.js';

type Amounts = AlertRule['amounts'];

const ZERO = '0' as Decimal;

/** Whether an event of the type can have an amount that the matcher accepts. */
export function acceptsSomeAmount(amounts: Amounts, type: EventType): boolean {
  if (amounts === undefined) return true;
  const sign = AMOUNTS[type]?.sign;
  if (sign === undefined) return false;
  const { below } = amounts;
  return sign === 'as-sent' || below === undefined || compareDecimals(below as Decimal, ZERO) > 0;
}

/** Whether one of the matchers accepts the event of the type, whatever its amount. */
export function acceptEveryAmount(matchers: readonly Amounts[], type: EventType): boolean {
  if (matchers.includes(undefined)) return true;
  const sign = AMOUNTS[type]?.sign;
  if (sign === undefined) return false;
  // The amounts below `end` are accepted. Undefined: none yet, as there is no least one.
  let end = sign === 'size' ? ZERO : undefined;
  for (const { atLeast, below } of sortByStart(matchers)) {
    if (atLeast !== undefined && (end === undefined || compareDecimals(atLeast, end) > 0)) return false;
    if (below === undefined) return true;
    if (end === undefined || compareDecimals(below, end) > 0) end = below;
  }
  return false;
}

interface Range {
  readonly atLeast: Decimal | undefined;
  readonly below: Decimal | undefined;
}

/** Ranges without a start first. */
function sortByStart(matchers: readonly Amounts[]): Range[] {
  return matchers
    .map((amounts) => (amounts ?? {}) as Range)
    .sort((a, b) => {
      if (a.atLeast === undefined || b.atLeast === undefined)
        return Number(a.atLeast !== undefined) - Number(b.atLeast !== undefined);
      return compareDecimals(a.atLeast, b.atLeast);
    });
}
