import { parseMarketDateTime, type MarketDate } from '@ssb/market';
import type { OpenItem } from '../detection/open-items.js';
import { parseDocumentState, type DocumentState } from '../documents/document-state.js';
import { cycleId, runId, type RunNames, type SettlementRun } from '../detection/settlement/runs.js';
import {
  parseEstimationState,
  parseInvoiceState,
  parseStatementState,
  parseTimelineState,
  type EstimationState,
  type InvoiceState,
  type StatementState,
  type TimelineState,
} from '../detection/settlement/states.js';

export const TIMELINE_PART = 'timeline';

export const statementPart = (run: SettlementRun): string => `statement:${runId(run)}`;
export const invoicePart = (run: SettlementRun): string => `invoice:${runId(run)}`;
export const estimationPart = (run: SettlementRun, tradingDay: MarketDate): string =>
  `estimation:${runId(run)}|${tradingDay}`;

/** The part of the document of an invoice. @param invoice the part of the invoice */
export const documentPart = (invoice: string): string => invoice.replace(/^invoice:/, 'document:');

/** What the part of a statement names; undefined for another part. */
function namesOf(part: string): RunNames | undefined {
  const [, market, day, designation] = /^statement:(\w+)\|(\d{4}-\d{2}-\d{2})\|(\w+)$/.exec(part) ?? [];
  if (market === undefined || designation === undefined) return undefined;
  return {
    marketService: market as RunNames['marketService'],
    periodFrom: parseMarketDateTime(`${day}T00:00:00`),
    designation: designation as RunNames['designation'],
  };
}

/** The key of the run of a part: `statement:WEM|2026-02-22|INITIAL`. */
export function runIdOf(part: string): string {
  return part
    .slice(part.indexOf(':') + 1)
    .split('|', 3)
    .join('|');
}

export function isEstimation(part: string): boolean {
  return part.startsWith('estimation:');
}

interface Part<State> {
  readonly text: string;
  readonly state: State | undefined;
}

export interface SavedStatement {
  readonly part: string;
  readonly run: RunNames;
  readonly statement: StatementState;
}

/** The saved settlement states, by part. Only the leader writes it, so it is read once in each term of the lease. */
export class SavedSettlement {
  /** Redis may have a pending detection, so the state must be read again before it is used. */
  isStale = false;
  /** A text is parsed at its first use. */
  private readonly parsed = new Map<string, Part<unknown>>();

  /** @param onUnusable called with a part whose text is not a state of a known release */
  constructor(
    private readonly texts: Map<string, string>,
    private readonly onUnusable: (part: string) => void,
  ) {}

  /** Name and text of each part. */
  entries(): readonly (readonly [part: string, text: string])[] {
    return [...this.texts];
  }

  text(part: string): string | undefined {
    return this.texts.get(part);
  }

  save(part: string, text: string): void {
    this.texts.set(part, text);
  }

  timeline(): TimelineState | undefined {
    return this.parse(TIMELINE_PART, parseTimelineState);
  }

  statement(run: SettlementRun): StatementState | undefined {
    return this.parse(statementPart(run), parseStatementState);
  }

  invoice(run: SettlementRun): InvoiceState | undefined {
    return this.parse(invoicePart(run), parseInvoiceState);
  }

  /** Every saved invoice with the name of its part, also those of runs that are not in the timeline. */
  invoices(): readonly (readonly [part: string, invoice: InvoiceState])[] {
    return [...this.texts.keys()].flatMap((part) => {
      const invoice = part.startsWith('invoice:') ? this.parse(part, parseInvoiceState) : undefined;
      return invoice === undefined ? [] : [[part, invoice] as const];
    });
  }

  /** @param part of a document */
  document(part: string): DocumentState | undefined {
    return this.parse(part, parseDocumentState);
  }

  /** Every saved statement with the name of its part, also those of runs that are not in the timeline. */
  statements(): readonly SavedStatement[] {
    return [...this.texts.keys()].flatMap((part) => {
      const run = namesOf(part);
      const statement = run && this.parse(part, parseStatementState);
      return run === undefined || statement === undefined ? [] : [{ part, run, statement }];
    });
  }

  estimation(run: SettlementRun, tradingDay: MarketDate): EstimationState | undefined {
    return this.parse(estimationPart(run, tradingDay), parseEstimationState);
  }

  /**
   * Parts about periods that began before a day and are not in the timeline. They are removed from the memory. An invoice whose payment is not
   * due before `today` is kept for its reminders with the state of its document, as is a statement with an open window.
   */
  removeBefore(
    day: MarketDate,
    today: MarketDate,
    hasOpenWindow: (saved: SavedStatement) => boolean,
  ): string[] {
    const { runs = [], vanished = [] } = this.timeline() ?? {};
    const listed = new Set([...runs, ...vanished].map(cycleId));
    const open = new Set(this.statements().flatMap((saved) => (hasOpenWindow(saved) ? [saved.part] : [])));
    const old = [...this.texts.keys()].filter((part) => {
      const [, cycle = '', periodFrom] = /^\w+:(\w+\|(\d{4}-\d{2}-\d{2}))\|/.exec(part) ?? [];
      const isOld = periodFrom !== undefined && periodFrom < day && !listed.has(cycle);
      return isOld && !open.has(part) && !this.isPaymentDue(part, today);
    });
    for (const part of old) {
      this.texts.delete(part);
      this.parsed.delete(part);
    }
    return old;
  }

  private isPaymentDue(part: string, today: MarketDate): boolean {
    const invoice = part.replace(/^document:/, 'invoice:');
    if (!invoice.startsWith('invoice:')) return false;
    const dueDate = this.parse(invoice, parseInvoiceState)?.current?.figures.dueDate;
    return dueDate !== undefined && dueDate >= today;
  }

  private parse<State>(part: string, parse: (text: string) => State | undefined): State | undefined {
    const text = this.texts.get(part);
    if (text === undefined) return undefined;
    const known = this.parsed.get(part);
    if (known?.text === text) return known.state as State | undefined;
    const state = parse(text);
    if (state === undefined) this.onUnusable(part);
    this.parsed.set(part, { text, state });
    return state;
  }
}

/** Statements or invoices of a timeline. */
export interface PublicationCounts {
  /** Their date in the timeline has passed, and they are not there. */
  readonly due: number;
  readonly published: number;
}

/** @param items what is open of these runs */
export function countPublications(
  runs: readonly SettlementRun[],
  parts: SavedSettlement,
  items: readonly OpenItem[],
): Readonly<Record<'statement' | 'invoice', PublicationCounts>> {
  const count = (document: 'statement' | 'invoice') => ({
    due: items.filter(({ kind }) => kind === document).length,
    published: runs.filter((run) => parts[document](run)?.current !== undefined).length,
  });
  return { statement: count('statement'), invoice: count('invoice') };
}
