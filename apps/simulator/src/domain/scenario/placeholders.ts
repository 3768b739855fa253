import { addDays, type MarketDate } from '@ssb/market';
import { firstOfMonth } from '../calendar/period.js';
import type { Figure } from './expectation.js';

/** What placeholders stand for. */
export interface PlaceholderValues {
  participant: string;
  /** The day on which the scenario starts. */
  today: MarketDate;
}

/** Placeholders: `{participant}`; `{today}`, `{today-14}`; `{month-2}`, the first day of the month two months ago. */
export function fillIn(text: string, { participant, today }: PlaceholderValues): string {
  return text
    .replaceAll('{participant}', participant)
    .replace(/\{(today|month)([+-]\d+)?\}/g, (_placeholder, unit: string, count = '0') =>
      unit === 'today' ? addDays(today, Number(count)) : firstOfMonth(today, Number(count)),
    );
}

/** Fills in every text of the figure. */
export function fillInFigure(figure: Figure, values: PlaceholderValues): Figure {
  if (typeof figure === 'string') return fillIn(figure, values);
  if (figure === null || typeof figure !== 'object') return figure;
  if (isList(figure)) return figure.map((entry) => fillInFigure(entry, values));
  return Object.fromEntries(
    Object.entries(figure).map(([property, value]) => [property, fillInFigure(value, values)]),
  );
}

function isList(figure: Figure): figure is readonly Figure[] {
  return Array.isArray(figure);
}
