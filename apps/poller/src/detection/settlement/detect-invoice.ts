import { MAX_DISCREPANCIES, type Fact, type InvoiceDiscrepancy, type InvoiceReversedData } from '@ssb/events';
import { dateOf, toInstant, type SettlementInvoice } from '@ssb/market';
import { paymentDirection } from '@ssb/config';
import type { Detected, DetectionContext } from '../detection.js';
import { digestInvoice, digestOf, NOT_UNICODE } from '../digest.js';
import { findDiscrepancies, sumTaxInvoices } from './invoice-discrepancies.js';
import { splitTotal } from './invoice-tax.js';
import { detectAbsence, lateness, unreadable } from './publication.js';
import { raiseChanges, selectNewFacts, settleDocument } from './raised-facts.js';
import { endOfDay, runProperties, type SettlementRun } from './runs.js';
import { NEW_INVOICE, type InvoiceFigures, type InvoiceState, type InvoiceVersion } from './states.js';

/** Sums of the earlier invoice; undefined when it was not seen. */
export type EarlierSums = InvoiceFigures['taxSums'] | undefined;

/**
 * Detects invoice.issued, invoice.adjusted, invoice.reversed, invoice.overdue and invoice.discrepancy.
 *
 * @param response undefined for a 404
 * @param earlierSums those of the invoice of the previous designation of the same period
 */
export function detectInvoice(
  previous: InvoiceState | undefined,
  run: SettlementRun,
  response: SettlementInvoice | undefined,
  earlierSums: EarlierSums,
  context: DetectionContext,
): Detected<InvoiceState> {
  const state = previous ?? NEW_INVOICE;
  if (response === undefined) return detectAbsentInvoice(state, run, context);
  if (response.market !== run.marketService) return unreadable(state, 'market', 'other-invoice');
  const digest = digestInvoice(response);
  if (digest === undefined) return unreadable(state, '', NOT_UNICODE);
  const known = state.current;
  const comparedWith = earlierSums && digestOf(earlierSums);
  const figures = { ...describeFigures(response, run, digest, known), comparedWith };
  const current = { id: response.id, seenAt: seenAtOf(state, run, context), figures };
  if (known?.id === response.id && known.figures.digest === digest) {
    const settled = settleDocument(state, context);
    if (comparedWith === undefined || comparedWith === known.figures.comparedWith) return settled;
    const compared = { ...known, figures: { ...known.figures, comparedWith } };
    return compareAgain(settled, run, response, compared, earlierSums, context);
  }
  const found = [
    createInvoiceFact(state, current, run, response, context),
    ...createDiscrepancyFacts(run, response, figures, earlierSums, context),
  ];
  return raiseChanges(found, state, current, context);
}

/** The invoice is unchanged, and the sums of the earlier one became known or changed. */
function compareAgain(
  settled: Detected<InvoiceState>,
  run: SettlementRun,
  invoice: SettlementInvoice,
  current: InvoiceVersion,
  earlierSums: EarlierSums,
  context: DetectionContext,
): Detected<InvoiceState> {
  const found = createDiscrepancyFacts(run, invoice, current.figures, earlierSums, context);
  const { state } = settled;
  const { facts, raised } = selectNewFacts(found, state.raised, context);
  return { ...settled, facts, state: { ...state, current, raised } };
}

/** When a version was first seen. A version that is there at the first request may be as old as its day. */
function seenAtOf({ watched, current }: InvoiceState, run: SettlementRun, { now }: DetectionContext): string {
  const isFirstRequest = !watched && current === undefined;
  const invoiceDay = toInstant(run.invoiceDate);
  return (isFirstRequest && invoiceDay < now ? invoiceDay : now).toISOString();
}

function detectAbsentInvoice(
  state: InvoiceState,
  run: SettlementRun,
  context: DetectionContext,
): Detected<InvoiceState> {
  const invoiceDate = dateOf(run.invoiceDate);
  const createOverdue = (overdueSince: string): Fact => ({
    type: 'settlementbus.invoice.overdue.v1',
    data: { ...runProperties(run), invoiceDate, overdueSince },
  });
  return detectAbsence(state, invoiceDate, createOverdue, context);
}

/** An operator may send an empty text for none. */
function reversalOf({ reversedId }: SettlementInvoice): string | undefined {
  return reversedId == null || reversedId.trim() === '' ? undefined : reversedId;
}

function describeFigures(
  invoice: SettlementInvoice,
  { designation, periodFrom }: SettlementRun,
  digest: string,
  known: InvoiceVersion | undefined,
): InvoiceFigures {
  const { market, dueDate, paymentSummary } = invoice;
  const { total, payableAmount, settlementRequired } = paymentSummary ?? {};
  const reversedId = reversalOf(invoice);
  const before = known?.id === invoice.id ? known.figures : undefined;
  const isReversed =
    reversedId !== undefined &&
    before !== undefined &&
    (before.isReversed === true || before.reversedId === undefined);
  return {
    digest,
    market,
    designation,
    periodFrom,
    ...(reversedId !== undefined && { reversedId }),
    ...(isReversed && { isReversed }),
    dueDate,
    total,
    payableAmount,
    settlementRequired,
    taxSums: sumTaxInvoices(invoice),
  };
}

function createInvoiceFact(
  { watched, overdue, current: known }: InvoiceState,
  { figures }: InvoiceVersion,
  run: SettlementRun,
  invoice: SettlementInvoice,
  context: DetectionContext,
): Fact {
  const { now: seenAt } = context;
  const data = describeInvoice(invoice, run, figures.digest, context);
  const isReversed = figures.isReversed === true && known?.figures.isReversed !== true;
  if (known !== undefined && (known.id !== invoice.id || isReversed))
    return {
      type: 'settlementbus.invoice.reversed.v1',
      data: { ...data, reversed: summarise(known, context) },
    };
  const type = data.adjustment > 0 ? 'settlementbus.invoice.adjusted.v1' : 'settlementbus.invoice.issued.v1';
  if (known !== undefined) return { type, data: { ...data, changed: summarise(known, context) } };
  // `reversedId` names the reversal of an invoice that was not seen, or of this one before a loss of the state.
  const isRestated = !watched || figures.reversedId !== undefined;
  const { invoiceDate } = invoice;
  // An invoice has a date only: it counts from the end of that day, after an overdue event from its beginning.
  const publishedAt = overdue === undefined ? endOfDay(invoiceDate) : toInstant(invoiceDate);
  return {
    type,
    data: {
      ...data,
      ...lateness({ dueDay: dateOf(run.invoiceDate), overdue, publishedAt, seenAt, isRestated }),
      ...(isRestated && { restated: true as const }),
    },
  };
}

/** Rule `previous` depends on the earlier invoice, which may become known later, so it has an event of its own. */
function createDiscrepancyFacts(
  run: SettlementRun,
  invoice: SettlementInvoice,
  { digest, comparedWith }: InvoiceFigures,
  earlierSums: EarlierSums,
  context: DetectionContext,
): Fact[] {
  const found = findDiscrepancies(invoice, earlierSums, context.settings.discrepancies);
  const { id, market, designation, periodFrom, adjustment, ...figures } = describeInvoice(
    invoice,
    run,
    digest,
    context,
  );
  const names = { id, market, designation, periodFrom, adjustment, direction: figures.direction, digest };
  const createFact = (list: readonly InvoiceDiscrepancy[], key = {}): Fact => ({
    type: 'settlementbus.invoice.discrepancy.v1',
    data: { ...names, ...key, discrepancies: list.slice(0, MAX_DISCREPANCIES), count: list.length },
  });
  const own = found.filter(({ rule }) => rule !== 'previous');
  const compared = found.filter(({ rule }) => rule === 'previous');
  return [
    ...(own.length > 0 ? [createFact(own)] : []),
    ...(compared.length > 0 ? [createFact(compared, { comparedWith })] : []),
  ];
}

/** Period and designation come from the run, because an invoice has neither. */
function describeInvoice(
  invoice: SettlementInvoice,
  run: SettlementRun,
  digest: string,
  context: DetectionContext,
) {
  const { id, reversedId, market, tradeWeek, tradeMonth, adjustment, invoiceDate, dueDate } = invoice;
  const { total, payableAmount, settlementRequired } = invoice.paymentSummary ?? {};
  return {
    id,
    reversedId: reversedId ?? undefined,
    market,
    designation: run.designation,
    periodFrom: run.periodFrom,
    tradeWeek: tradeWeek ?? undefined,
    tradeMonth: tradeMonth ?? undefined,
    // Optional in the document, where 0 is the initial version.
    adjustment: adjustment ?? 0,
    invoiceDate,
    dueDate,
    ...splitTotal(invoice),
    total,
    payableAmount,
    direction: directionOf(payableAmount, context),
    settlementRequired,
    digest,
  };
}

function summarise(
  { id, figures }: InvoiceVersion,
  context: DetectionContext,
): InvoiceReversedData['reversed'] {
  const { digest, dueDate, total, payableAmount } = figures;
  return { id, digest, dueDate, total, payableAmount, direction: directionOf(payableAmount, context) };
}

/** It is not part of the identity: another setting announces nothing again. */
function directionOf(payableAmount: string | undefined, { settings }: DetectionContext) {
  return payableAmount === undefined
    ? undefined
    : paymentDirection(payableAmount, settings.payments.positiveAmount);
}
