import { createHash, hash } from 'node:crypto';
import { POSITION_FIGURES, type PositionFigure } from '@ssb/events';
import { canonicalJson, NotCanonicalError } from '@ssb/identity';
import {
  isDecimal,
  parseMarketDateTime,
  serialiseJson,
  withoutTrailingZeros,
  type Decimal,
  type MarketDateTime,
  type SettlementInvoice,
} from '@ssb/market';

/**
 * SHA-256 of the RFC 8785 form. The same figures give the same digest: null is left out, and `1.50` is `1.5`.
 *
 * @throws NotCanonicalError when a text is not Unicode and has no such form
 */
export function digestFigures(figures: object): string {
  return createHash('sha256')
    .update(canonicalJson(normalise(figures)), 'utf8')
    .digest('hex');
}

/** Identifies a value of a response that has no usable names. */
export function contentName(kind: string, value: unknown): string {
  const digest = createHash('sha256').update(serialiseJson(value)).digest('hex');
  return `${kind} with the digest ${digest.slice(0, 16)}`;
}

const DATE_TIME = /^\d{4}-\d{2}-\d{2}[T\d:.]{0,20}$/;

/** Identifies a calculation that cannot be read: by its times, or by its content where it has none. */
export function calculationDocument(row: unknown): string {
  const { tradingDay, calculatedAt, isForecast } = (row ?? {}) as Readonly<Record<string, unknown>>;
  const [day, time] = [tradingDay, calculatedAt].map((each) =>
    typeof each === 'string' && DATE_TIME.test(each) ? each : undefined,
  );
  const kind = isForecast === true ? 'forecast' : 'calculation';
  if (day === undefined || time === undefined) return contentName(kind, row);
  return `${kind} ${time} of ${day.slice(0, 10)}`;
}

/** The response contains a text that is not Unicode, so it has no digest and cannot be signed. */
export const NOT_UNICODE = 'not-unicode';

export function isUnicode(text: string): boolean {
  return digestOf({ text }) !== undefined;
}

/** The same; undefined when a text is not Unicode. */
export function digestOf(figures: object): string | undefined {
  return whenUnicode(() => digestFigures(figures));
}

function whenUnicode(digest: () => string): string | undefined {
  try {
    return digest();
  } catch (error) {
    if (error instanceof NotCanonicalError) return undefined;
    throw error;
  }
}

/** In the order of RFC 8785. */
const DIGESTED = ['calculatedAt', 'isForecast', 'tradingDay', ...POSITION_FIGURES].toSorted() as readonly (
  | 'calculatedAt'
  | 'isForecast'
  | 'tradingDay'
  | PositionFigure
)[];

export type CalculationFigures = { [Name in PositionFigure]?: Decimal } & {
  readonly tradingDay: MarketDateTime;
  readonly calculatedAt: MarketDateTime;
  readonly isForecast: boolean;
};

/**
 * The same as `digestFigures`, without its costs: a response can have many thousand calculations. Names, times and decimals are ASCII texts
 * without escapes.
 */
export function digestCalculation(figures: Readonly<CalculationFigures>): string {
  let text = '';
  for (const name of DIGESTED) {
    const value = figures[name];
    if (value === undefined) continue;
    text += `${text === '' ? '{' : ','}"${name}":${describeDigested(name, value)}`;
  }
  return hash('sha256', `${text}}`, 'hex');
}

function describeDigested(name: (typeof DIGESTED)[number], value: string | boolean): string {
  if (name === 'isForecast') return String(value);
  // `10:00:00` and `10:00:00.000` are one time.
  if (name === 'tradingDay' || name === 'calculatedAt')
    return `"${withMilliseconds(value as MarketDateTime)}"`;
  return `"${withoutTrailingZeros(value as Decimal)}"`;
}

/** The time with exactly three fractional digits, so that times sort as texts. */
export function withMilliseconds(time: MarketDateTime): string {
  if (!time.includes('.')) return `${time}.000`;
  if (time.at(-4) === '.') return time;
  const [second = time, fraction = ''] = time.split('.');
  return `${second}.${fraction.slice(0, 3).padEnd(3, '0')}`;
}

/** Some servers send seven fractional digits, and events carry three. Truncation gives the same calculation the same key. */
export function truncateToMilliseconds(time: MarketDateTime): MarketDateTime {
  if (!/\.\d{4}/.test(time)) return time;
  return parseMarketDateTime(time.replace(/(\.\d{3})\d+$/, '$1'));
}

interface TradingDay {
  readonly tradingDay: string;
  readonly variables: readonly object[];
}

/**
 * The digest of an invoice. The order of its lists has no meaning, so it does not count. The prepayment balance is as at the time of the
 * request, so it does not count either.
 */
export function digestInvoice(invoice: SettlementInvoice): string | undefined {
  const { paymentSummary } = invoice;
  const figures = normalise({
    ...invoice,
    paymentSummary: paymentSummary && { ...paymentSummary, prepaymentBalance: undefined },
  });
  return whenUnicode(() => digestFigures(sortLists(figures)));
}

/** The digest of a statement or estimation. The order of days and variables has no meaning, so it does not count. */
export function digestDays(days: readonly TradingDay[]): string | undefined {
  const sorted = normalise(days).map(({ tradingDay, variables }) => ({
    tradingDay,
    variables: sortByText(variables),
  }));
  return digestOf(sortByText(sorted));
}

function normalise<Figures extends object>(figures: Figures): Figures {
  const text = JSON.stringify(figures, (_, value: unknown) =>
    typeof value === 'string' && isDecimal(value) ? withoutTrailingZeros(value) : (value ?? undefined),
  );
  return JSON.parse(text) as Figures;
}

/** Every list in the order of the texts of its items. */
function sortLists<Value>(value: Value): Value {
  if (Array.isArray(value)) return sortByText(value.map(sortLists), canonicalJson) as Value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, sortLists(member)]),
  ) as Value;
}

function sortByText<T>(
  items: readonly T[],
  textOf: (item: T) => string = (item) => JSON.stringify(item),
): T[] {
  return items
    .map((item) => ({ item, text: textOf(item) }))
    .sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0))
    .map(({ item }) => item);
}
