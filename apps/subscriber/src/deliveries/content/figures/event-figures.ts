import { isEventType } from '@ssb/events';
import { compareDecimals, tryParseDecimal } from '@ssb/market/decimal';
import { FORMATS, type Figure } from '../formats.js';
import { FIGURES, type FigureDefinition, type Source } from './figure-definitions.js';
import { listedFigures } from './listed-figures.js';

/**
 * The figures of an event that a person needs, the decisive one first. Amounts keep every digit. Texts are escaped, because labels and details
 * can come from others.
 * @param worst the worst value of a figure; it follows the figure of that name, unless it is the same
 */
export function eventFigures(type: string, data: unknown, worst?: NamedValue): Figure[] {
  if (!isEventType(type)) return [];
  const figures = FIGURES[type].flatMap((definition) => {
    const [source, label, form] = definition;
    const newest = readFigure(definition, data);
    if (worst === undefined || worst.name !== source || isSame(worst.value, readSource(data, source)))
      return newest;
    return [...newest, { label: `${label} at worst`, value: FORMATS[form](worst.value) }];
  });
  return [...figures, ...listedFigures(type, data)];
}

/** Of a problem, each value is a text: amounts keep their digits, counts are numbers in the event. */
function isSame(worst: string, newest: unknown): boolean {
  const [a, b] = [worst, String(newest)].map(tryParseDecimal);
  return a === undefined || b === undefined ? worst === String(newest) : compareDecimals(a, b) === 0;
}

/** The figures in the title of a message. A figure that has changed is such as `from -60,000 AUD to -185,000.5 AUD`. */
export function titleFigures(type: string, data: unknown): Figure[] {
  if (!isEventType(type)) return [];
  return FIGURES[type].flatMap((definition) => {
    const [, label, form, inTitle] = definition;
    if (inTitle === undefined) return [];
    const [now] = readFigure(definition, data);
    if (now === undefined || inTitle === 'title') return now ?? [];
    const [before] = readFigure([inTitle.before, label, form], data);
    return before === undefined || before.value === now.value
      ? now
      : { label, value: `from ${before.value} to ${now.value}` };
  });
}

/** A figure of a problem, by its name in the data of the event. */
export interface NamedValue {
  readonly name: string;
  readonly value: string;
}

function readFigure([source, label, form]: FigureDefinition, data: unknown): Figure[] {
  const value = readSource(data, source);
  // A receiver can refuse an empty text.
  if ((typeof value !== 'string' && typeof value !== 'number') || value === '') return [];
  return [{ label, value: FORMATS[form](String(value)) }];
}

function readSource(data: unknown, source: Source): unknown {
  return typeof source === 'string' ? readPath(data, source) : source(data);
}

function readPath(data: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (value, name) =>
        typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined,
      data,
    );
}
