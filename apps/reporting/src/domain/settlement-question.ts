import {
  dateOf,
  designationsOf,
  isDesignation,
  isMarketDate,
  isMarketDateTime,
  isMarketService,
  MARKET_SERVICES,
  type Designation,
  type MarketDate,
  type MarketService,
} from '@ssb/market';

/** One settlement period of one market service under one designation: what operations 5 and 9 ask for. */
export interface SettlementKey {
  marketService: MarketService;
  periodFrom: MarketDate;
  designation: Designation;
}

/** The cycles whose runs are invoiced from one day to another, both included: what operation 10 asks for. */
export interface InvoiceWindow {
  from: MarketDate;
  to: MarketDate;
}

export type QuestionFault =
  | 'unknown-market-service'
  | 'impossible-date'
  | 'designation-not-allowed'
  | 'parameter-missing'
  | 'window-upside-down';

export interface NotAskable {
  ok: false;
  reason: QuestionFault;
  parameter: string;
  detail: string;
}

export type SettlementQuestion = { ok: true; key: SettlementKey } | NotAskable;
export type TimelineQuestion = { ok: true; window: InvoiceWindow } | NotAskable;

/** Reads the path of operations 5 and 9. */
export function askSettlement(
  marketService: string,
  periodFrom: string,
  designation: string,
): SettlementQuestion {
  if (!isMarketService(marketService)) {
    return notAskable(
      'unknown-market-service',
      'marketService',
      `${quoted(marketService)} is no market service: ${MARKET_SERVICES.join(', ')} are.`,
    );
  }
  const day = parseDay(periodFrom);
  if (day === undefined) return impossible('periodFrom', periodFrom);
  const allowed = designationsOf(marketService);
  if (!isDesignation(designation) || !allowed.includes(designation)) {
    return notAskable(
      'designation-not-allowed',
      'designation',
      `${quoted(designation)} is no designation of ${marketService}: allowed is ${allowed.join(', ')}.`,
    );
  }
  return { ok: true, key: { marketService, periodFrom: day, designation } };
}

/** Reads the query of operation 10; a parameter given twice counts as missing. */
export function askTimeline(from: unknown, to: unknown): TimelineQuestion {
  if (typeof from !== 'string') return missing('invoiceDateFrom');
  if (typeof to !== 'string') return missing('invoiceDateTo');
  const first = parseDay(from);
  if (first === undefined) return impossible('invoiceDateFrom', from);
  const last = parseDay(to);
  if (last === undefined) return impossible('invoiceDateTo', to);
  if (first > last) {
    return notAskable(
      'window-upside-down',
      'invoiceDateTo',
      `invoiceDateTo ${last} is before invoiceDateFrom ${first}.`,
    );
  }
  return { ok: true, window: { from: first, to: last } };
}

/**
 * The day a date-time parameter names: `yyyy-MM-dd`, as parameters are described, or `yyyy-MM-ddTHH:mm:ss`, as fields
 * are written (document 000, Conventions 3).
 */
function parseDay(text: string): MarketDate | undefined {
  return isMarketDate(text) || isMarketDateTime(text) ? dateOf(text) : undefined;
}

function missing(parameter: string): NotAskable {
  return notAskable(
    'parameter-missing',
    parameter,
    `${parameter} is required once, as yyyy-MM-dd or yyyy-MM-ddTHH:mm:ss.`,
  );
}

function impossible(parameter: string, text: string): NotAskable {
  return notAskable(
    'impossible-date',
    parameter,
    `${parameter} ${quoted(text)} is no day of the calendar written as yyyy-MM-dd or yyyy-MM-ddTHH:mm:ss.`,
  );
}

/** What a caller sent is shown back short and printable. */
function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 60));
}

function notAskable(reason: QuestionFault, parameter: string, detail: string): NotAskable {
  return { ok: false, reason, parameter, detail };
}
