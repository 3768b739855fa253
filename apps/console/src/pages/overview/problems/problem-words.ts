import type { ProblemRow } from '../../../api/operations.js';
import { formatDay } from '../../../format/market-time.js';

type Kind = ProblemRow['kind'];

/** A figure of a problem, by how the page shows it. */
export interface Figure {
  readonly label: string;
  readonly value: string;
  readonly kind: 'amount' | 'day' | 'time' | 'text';
}

const TITLES: Readonly<Record<Kind, string>> = {
  margin: 'Margin below its threshold',
  'credit-support': 'Credit support below the credit limit',
  'breach-forecast': 'Breach of the margin forecast',
  'statement-overdue': 'Statement overdue',
  disagreement: 'Last day to disagree is near',
  'invoice-overdue': 'Invoice overdue',
  'invoice-discrepancy': 'Amounts of an invoice do not agree',
  'position-stale': 'No new calculation of the margin',
  'operator-unreachable': 'Operator unreachable',
  'bridge-fault': 'Fault of the bridge',
};

/** What is wrong, in a few words. */
export function titleOf({ kind, level }: Pick<ProblemRow, 'kind' | 'level'>): string {
  if (kind === 'margin' && level === 'BREACHED') return 'Margin breached';
  if (kind === 'margin' && level === 'WARNING') return 'Margin below the warning threshold';
  return TITLES[kind];
}

const DAY = /^\d{4}-\d\d-\d\d$/;

const OF_RUN: ReadonlySet<Kind> = new Set([
  'statement-overdue',
  'disagreement',
  'invoice-overdue',
  'invoice-discrepancy',
]);

/** Which run or participant it is about: `ALPHA · WEM · Sun 1 Mar 2026 · INITIAL`. Nothing for a fault of all. */
export function subjectOf({
  kind,
  key,
  participant,
}: Pick<ProblemRow, 'kind' | 'key' | 'participant'>): string {
  // The key of a run is <participant>/<market>/<first day>/<designation>.
  if (OF_RUN.has(kind))
    return key
      .split('/')
      .slice(0, 4)
      .map((part) => (DAY.test(part) ? formatDay(part) : part))
      .join(' · ');
  return participant === '*' ? '' : participant;
}

/** Figures by which a person judges each kind, the most important first. */
const FIGURES: Readonly<
  Record<Kind, readonly (readonly [name: string, label: string, kind: Figure['kind']])[]>
> = {
  margin: [
    ['tradingMargin', 'margin', 'amount'],
    ['breach', 'breach below', 'amount'],
  ],
  'credit-support': [
    ['difference', 'difference', 'amount'],
    ['creditLimit', 'credit limit', 'amount'],
  ],
  'breach-forecast': [
    ['breachDay', 'on', 'day'],
    ['tradingMargin', 'margin', 'amount'],
  ],
  'statement-overdue': [['statementDate', 'was due', 'day']],
  disagreement: [
    ['disagreeUntil', 'until', 'day'],
    ['businessDaysLeft', 'business days left', 'text'],
  ],
  'invoice-overdue': [['invoiceDate', 'was due', 'day']],
  'invoice-discrepancy': [['count', 'discrepancies', 'text']],
  'position-stale': [['lastCalculatedAt', 'last one', 'time']],
  'operator-unreachable': [
    ['interface', 'interface', 'text'],
    ['cause', 'cause', 'text'],
  ],
  'bridge-fault': [
    ['reason', 'reason', 'text'],
    ['count', 'times', 'text'],
  ],
};

const MARKET_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?$/;

/** The figures of a problem that a person judges it by. */
export function figuresOf({ kind, figures }: Pick<ProblemRow, 'kind' | 'figures'>): readonly Figure[] {
  return FIGURES[kind].flatMap(([name, label, how]) => {
    const value = figures[name];
    if (typeof value !== 'string') return [];
    return [{ label, kind: how, value: toShown(value, how) }];
  });
}

/** Times of figures are those of the market, without a zone. */
function toShown(value: string, how: Figure['kind']): string {
  if (how === 'day') return value.slice(0, 10);
  if (how === 'time' && MARKET_TIME.test(value)) return `${value}+08:00`;
  return how === 'text' ? value.replaceAll('-', ' ') : value;
}
