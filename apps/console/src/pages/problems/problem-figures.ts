import { measureNameOf } from '@ssb/events/problems';
import type { ProblemRow } from '../../api/operations.js';
import { compareAmounts } from '../../format/amount.js';
import { capitalize, toWords } from '../../format/names.js';
import type { ProblemKind } from './problem-titles.js';

/** How a figure is shown. `market-time` has no zone, `instant` has one. */
export type FigureForm = 'amount' | 'day' | 'market-time' | 'instant' | 'seconds' | 'number' | 'text';

interface FigureMeaning {
  readonly label: string;
  readonly form: FigureForm;
}

const MEANINGS: Readonly<Record<string, FigureMeaning>> = {
  tradingMargin: { label: 'Trading margin', form: 'amount' },
  previousMargin: { label: 'Margin announced before', form: 'amount' },
  outstandingAmount: { label: 'Outstanding amount', form: 'amount' },
  warning: { label: 'Warning threshold', form: 'amount' },
  breach: { label: 'Breach threshold', form: 'amount' },
  creditSupport: { label: 'Credit support', form: 'amount' },
  creditLimit: { label: 'Credit limit', form: 'amount' },
  difference: { label: 'Difference', form: 'amount' },
  breachDay: { label: 'Day of the forecast breach', form: 'day' },
  daysUntilBreach: { label: 'Days until then', form: 'number' },
  method: { label: 'Forecast by', form: 'text' },
  tradingDay: { label: 'Trading day', form: 'day' },
  calculatedAt: { label: 'Calculated at', form: 'market-time' },
  lastCalculatedAt: { label: 'Last calculation', form: 'market-time' },
  staleSince: { label: 'Overdue since', form: 'market-time' },
  allowedSeconds: { label: 'Allowed pause', form: 'seconds' },
  statementDate: { label: 'Statement date', form: 'day' },
  invoiceDate: { label: 'Invoice date', form: 'day' },
  overdueSince: { label: 'Overdue since', form: 'market-time' },
  disagreeUntil: { label: 'Last day to dispute', form: 'day' },
  businessDaysLeft: { label: 'Business days left', form: 'text' },
  publishedAt: { label: 'Published at', form: 'market-time' },
  id: { label: 'Invoice', form: 'text' },
  since: { label: 'Since', form: 'instant' },
  recoveredAt: { label: 'Recovered at', form: 'instant' },
  clearedAt: { label: 'Ended at', form: 'instant' },
  app: { label: 'Reported by', form: 'text' },
};

/** Of one kind, where the same name means something else. */
const MEANINGS_OF_KINDS: Readonly<Partial<Record<ProblemKind, Readonly<Record<string, FigureMeaning>>>>> = {
  'breach-forecast': { tradingMargin: { label: 'Forecast trading margin', form: 'amount' } },
  'invoice-discrepancy': { count: { label: 'Amounts that do not agree', form: 'text' } },
  'bridge-fault': { count: { label: 'Occurrences', form: 'text' } },
};

export function meaningOf(kind: ProblemKind, name: string): FigureMeaning {
  return (
    MEANINGS_OF_KINDS[kind]?.[name] ?? MEANINGS[name] ?? { label: capitalize(toWords(name)), form: 'text' }
  );
}

export interface FigureRow extends FigureMeaning {
  readonly name: string;
  readonly now: string | undefined;
  readonly worst: string | undefined;
}

/** Shown elsewhere on the page. */
const ELSEWHERE = new Set(['action', 'reason', 'period']);

/** The figures of the last and of the worst event of a problem, the decisive one first. */
export function listFigures({
  kind,
  figures,
  worstFigures,
}: Pick<ProblemRow, 'kind' | 'figures' | 'worstFigures'>): readonly FigureRow[] {
  const decisive = measureNameOf(kind);
  const names = [...new Set([...Object.keys(figures), ...Object.keys(worstFigures)])];
  return [...names.filter((name) => name === decisive), ...names.filter((name) => name !== decisive)]
    .filter((name) => !ELSEWHERE.has(name))
    .map((name) => ({
      name,
      ...meaningOf(kind, name),
      now: toText(figures[name]),
      worst: toText(worstFigures[name]),
    }));
}

/** Figures that a listing shows beside the decisive one, or instead of it. */
const KEY_FIGURES: Readonly<Record<ProblemKind, readonly string[]>> = {
  margin: ['tradingMargin', 'warning', 'breach'],
  'credit-support': ['difference', 'creditLimit'],
  'breach-forecast': ['breachDay', 'tradingMargin'],
  'statement-overdue': ['statementDate'],
  disagreement: ['disagreeUntil', 'businessDaysLeft'],
  'invoice-overdue': ['invoiceDate'],
  'invoice-discrepancy': ['count'],
  'position-stale': ['lastCalculatedAt'],
  'operator-unreachable': ['cause'],
  'bridge-fault': ['count'],
};

/** The figures by which a person judges a problem, the most important first. */
export function keyFigures(problem: Pick<ProblemRow, 'kind' | 'level' | 'figures'>): readonly FigureRow[] {
  const { kind, level, figures } = problem;
  // Only the threshold that the margin is below.
  const other = kind === 'margin' ? (level === 'BREACHED' ? 'warning' : 'breach') : undefined;
  return listFigures({
    kind,
    figures: Object.fromEntries(
      KEY_FIGURES[kind].flatMap((name) =>
        name === other || figures[name] === undefined ? [] : [[name, figures[name]]],
      ),
    ),
    worstFigures: {},
  });
}

/** The figure that decides how bad a problem is. */
export interface Measure {
  readonly label: string;
  /** An amount is in AUD. */
  readonly form: 'amount' | 'count';
  readonly now: string | undefined;
  /** Only when it was worse than now. */
  readonly worst: string | undefined;
}

export function measureOf(
  problem: Pick<ProblemRow, 'kind' | 'figures' | 'worstMeasure'>,
): Measure | undefined {
  const { kind, figures, worstMeasure } = problem;
  const name = measureNameOf(kind);
  if (name === undefined) return undefined;
  const { label, form } = meaningOf(kind, name);
  const now = toText(figures[name]);
  const isWorse = worstMeasure !== undefined && now !== undefined && compareAmounts(now, worstMeasure) !== 0;
  return now === undefined && worstMeasure === undefined
    ? undefined
    : {
        label,
        form: form === 'amount' ? 'amount' : 'count',
        now,
        worst: isWorse || now === undefined ? worstMeasure : undefined,
      };
}

const toText = (value: unknown): string | undefined =>
  value === undefined ? undefined : typeof value === 'string' ? value : JSON.stringify(value);
