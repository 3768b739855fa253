import type { MarketDate } from '@ssb/market';
import { readDay } from './day.js';
import { notAskable, type NotAskable } from './question-fault.js';

/** From one market day to another, both included: what operations 1 and 10 ask for. */
export interface DayWindow {
  from: MarketDate;
  to: MarketDate;
}

/** The two names of a window's parameters, first day first. */
export type WindowNames = readonly [first: string, last: string];

export type WindowQuestion = { ok: true; window: DayWindow } | NotAskable;

/**
 * Reads a window from a query, where a value is a text, or a list of texts when it was given several times. How long a
 * window may be is not stated by document 000, Limits: any length is a question.
 */
export function askWindow(query: Readonly<Record<string, unknown>>, names: WindowNames): WindowQuestion {
  const first = readOnce(query, names[0]);
  if (!first.ok) return first;
  const last = readOnce(query, names[1]);
  if (!last.ok) return last;
  if (first.day > last.day) {
    return notAskable(
      'window-upside-down',
      names[1],
      `${names[1]} ${last.day} is before ${names[0]} ${first.day}.`,
    );
  }
  return { ok: true, window: { from: first.day, to: last.day } };
}

function readOnce(query: Readonly<Record<string, unknown>>, parameter: string) {
  const value = query[parameter];
  if (typeof value === 'string') return readDay(parameter, value);
  return value === undefined
    ? notAskable('parameter-missing', parameter, `${parameter} ${FORMS}`)
    : notAskable('parameter-repeated', parameter, `${parameter} was given more than once; it ${FORMS}`);
}

const FORMS = 'is required once, as yyyy-MM-dd or yyyy-MM-ddTHH:mm:ss.';
