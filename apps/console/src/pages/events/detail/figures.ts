import { shortType } from '../../../format/event-type.js';
import { formatDuration } from '../../../format/market-time.js';
import { capitalize, toWords } from '../../../format/names.js';

/** A value of an event, and how a person reads it. */
export interface Figure {
  readonly name: string;
  readonly value: string;
  readonly kind: 'amount' | 'time' | 'day' | 'text';
}

/** A list in the data, as rows of figures. */
export interface FigureTable {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (Figure | undefined)[])[];
}

export interface EventFigures {
  /** What matters most. */
  readonly main: readonly Figure[];
  readonly others: readonly Figure[];
  /** Hashes and counters, for people who compare records. */
  readonly technical: readonly Figure[];
  readonly tables: readonly FigureTable[];
}

/** The figures of each type that matter most, as paths. */
const MAIN: Readonly<Record<string, readonly string[]>> = {
  'statement.published': ['totals.payment', 'totals.charge'],
  'statement.revised': ['totals.payment', 'totals.charge', 'difference.payment', 'difference.charge'],
  'statement.overdue': ['overdueSince'],
  'statement.disagreement-due': ['disagreeUntil'],
  'statement.disagreement-lapsed': ['disagreeUntil'],
  'invoice.issued': ['payableAmount', 'direction', 'dueDate'],
  'invoice.adjusted': ['payableAmount', 'direction', 'dueDate'],
  'invoice.reversed': ['payableAmount', 'direction', 'dueDate'],
  'invoice.overdue': ['overdueSince'],
  'payment.due': ['payableAmount', 'direction', 'dueDate'],
  'position.calculated': ['tradingMargin', 'outstandingAmount', 'tradingLimit'],
  'position.stale': ['staleSince'],
  'margin.warning': ['tradingMargin', 'thresholds.warning'],
  'margin.breached': ['tradingMargin', 'thresholds.breach'],
  'margin.restored': ['tradingMargin', 'level'],
  'margin.breach-forecast': ['breachDay', 'tradingMargin', 'breach'],
  'margin.forecast-cleared': ['tradingMargin', 'breach'],
  'credit-support.short': ['difference', 'creditSupport', 'creditLimit'],
  'credit-support.restored': ['creditSupport', 'creditLimit'],
  'market.unreachable': ['interface', 'since'],
  'market.recovered': ['interface'],
  'bridge.alert.raised': ['detail', 'action'],
  'bridge.alert.cleared': ['detail'],
};

const TECHNICAL = /(^|\.)(digest|sha256|transition|comparedWith|revision|repetition)$/;
/** Ids may be digits only. */
const NAME_OF_ID = /(^|\.)(id|runId|\w+Id|\w+By|\w+Number)$/;
const NAME_OF_TIME = /(At|Since|since)$/;
const DECIMAL = /^-?(0|[1-9]\d*)(\.\d+)?$/;
const DAY = /^\d{4}-\d\d-\d\d$/;
const MARKET_TIME = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d(\.\d+)?$/;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
const MIDNIGHT = /T00:00:00(\.0+)?$/;
const MAX_DEPTH = 5;

/** The data of an event in a form for people. Nothing is left out, and no digit changes. */
export function readFigures(type: string, data: unknown): EventFigures {
  const members = flatten(data, '', MAX_DEPTH);
  const paths = MAIN[shortType(type)] ?? [];
  const scalars = members.flatMap(([path, value]) => (isTable(value) ? [] : [[path, value] as const]));
  const find = (wanted: string) => scalars.filter(([path]) => path === wanted);
  const rest = scalars.filter(([path]) => !paths.includes(path));
  const toFigures = (list: readonly (readonly [string, unknown])[]): Figure[] =>
    list.map(([path, value]) => toFigure(path, value));
  return {
    main: toFigures(paths.flatMap(find)),
    others: toFigures(rest.filter(([path]) => !TECHNICAL.test(path))),
    technical: toFigures(rest.filter(([path]) => TECHNICAL.test(path))),
    tables: members.flatMap(([path, value]) => (isTable(value) ? [toTable(path, value)] : [])),
  };
}

/** The members of objects in objects, as `totals.payment`. Lists of objects stay lists. */
function flatten(value: unknown, path: string, depth: number): (readonly [path: string, value: unknown])[] {
  if (!isObject(value) || depth === 0) return path === '' ? [] : [[path, value]];
  return Object.entries(value).flatMap(([name, each]) =>
    flatten(each, path === '' ? name : `${path}.${name}`, depth - 1),
  );
}

function toFigure(path: string, value: unknown): Figure {
  const name = nameOf(path);
  if (typeof value === 'boolean') return { name, value: value ? 'yes' : 'no', kind: 'text' };
  if (typeof value === 'number') return { name, value: showNumber(path, value), kind: 'text' };
  if (typeof value !== 'string') return { name, value: toText(value), kind: 'text' };
  const code = CODES[path]?.[value];
  if (code !== undefined) return { name, value: code, kind: 'text' };
  if (DAY.test(value)) return { name, value, kind: 'day' };
  if (INSTANT.test(value)) return { name, value, kind: 'time' };
  const [, day] = MARKET_TIME.exec(value) ?? [];
  if (day !== undefined)
    return MIDNIGHT.test(value) && !NAME_OF_TIME.test(path)
      ? { name, value: day, kind: 'day' }
      : { name, value: `${value}+08:00`, kind: 'time' };
  return { name, value, kind: DECIMAL.test(value) && !NAME_OF_ID.test(path) ? 'amount' : 'text' };
}

function toTable(path: string, rows: readonly object[]): FigureTable {
  const flat = rows.map((row) => new Map(flatten(row, '', MAX_DEPTH)));
  const paths = [...new Set(flat.flatMap((row) => [...row.keys()]))];
  return {
    title: nameOf(path),
    columns: paths.map(nameOf),
    rows: flat.map((row) => paths.map((each) => (row.has(each) ? toFigure(each, row.get(each)) : undefined))),
  };
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isTable = (value: unknown): value is readonly object[] =>
  Array.isArray(value) && value.length > 0 && value.every(isObject);

const toText = (value: unknown): string =>
  Array.isArray(value) && !value.some((each) => typeof each === 'object')
    ? value.join(', ')
    : JSON.stringify(value);

/** Durations are in seconds or milliseconds. */
function showNumber(path: string, value: number): string {
  if (/Ms$/.test(path)) return `${value} ms`;
  if (!/[sS]econds$/.test(path)) return String(value);
  return value < 60 ? `${value} s` : `${formatDuration(value * 1_000)} (${value} s)`;
}

/** Codes of the operator in words. */
const CODES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  pOrC: { P: 'payment', C: 'charge' },
  gstApplicable: { Y: 'yes', N: 'no' },
};

/** Paths, and names in them, that words of their own explain better. */
const WORDS: Readonly<Record<string, string>> = {
  'totals.payment': 'Payments in total',
  'totals.charge': 'Charges in total',
  'difference.payment': 'Difference of payments',
  'difference.charge': 'Difference of charges',
  'thresholds.breach': 'Breach below',
  'thresholds.warning': 'Warning below',
  'thresholds.hysteresis': 'Restored only above the threshold by',
  'thresholds.deepeningStep': 'Announced again when lower by',
  'thresholds.minDurationSeconds': 'Announced after',
  previousMargin: 'Margin announced before',
  'late.seconds': 'Late by',
  pOrC: 'Payment or charge',
  gst: 'GST',
  gstExclusive: 'Without GST',
  gstApplicable: 'GST applies',
  runId: 'Run',
  id: 'Invoice',
};

/** `Thresholds: min duration seconds` for `thresholds.minDurationSeconds`. */
function nameOf(path: string): string {
  const names = path.split('.').map((name) => WORDS[name] ?? toWords(name));
  return WORDS[path] ?? capitalize(names.join(': '));
}
