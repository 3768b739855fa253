import type { Party, SettlementInvoice } from '@ssb/market';
import { adjustmentSection } from './adjustments.js';
import { writeAmount } from './amount.js';
import { messagesSection, paymentSummarySection, taxInvoiceSection } from './line-items.js';
import type { Fact, InvoicePage, Section } from './page.js';
import { printable } from './printable.js';

/** Everything that the invoice says, in the words that stand on paper. Parts that the invoice leaves out are left out. */
export function pageOfInvoice(invoice: SettlementInvoice): InvoicePage {
  const title = printable(invoice.title ?? '') || `${invoice.market} settlement invoice`;
  const id = printable(invoice.id);
  const period = printable(invoice.tradeWeek ?? invoice.tradeMonth ?? '');
  return {
    title,
    subtitle: [`Invoice ${id}`, invoice.market, period].filter((part) => part !== '').join(' · '),
    party: invoice.party === undefined ? [] : linesOfParty(invoice.party),
    facts: factsOf(invoice),
    payable: payableOf(invoice),
    sections: sectionsOf(invoice),
    foot: [`Invoice ${id}`, invoice.party && printable(invoice.party.id)].filter(Boolean).join(' · '),
  };
}

function linesOfParty({ id, name, addressLine1, addressLine2, abn }: Party): string[] {
  const address = [addressLine1 ?? '', addressLine2 ?? ''].map(printable).filter((line) => line !== '');
  const business = abn === null || abn === undefined ? [] : [`ABN ${printable(abn)}`];
  return [printable(name), ...address, ...business, `Participant ${printable(id)}`];
}

function factsOf(invoice: SettlementInvoice): Fact[] {
  return present([
    ['Invoice', invoice.id],
    ['Invoice date', invoice.invoiceDate],
    ['Due date', invoice.dueDate],
    ['Market', invoice.market],
    ['Trading week', invoice.tradeWeek],
    ['Trading month', invoice.tradeMonth],
    ['Version', versionOf(invoice.adjustment)],
    ['Reversal', invoice.reversedId],
  ]);
}

function versionOf(adjustment: number | null | undefined): string | undefined {
  if (adjustment === null || adjustment === undefined) return undefined;
  return adjustment === 0 ? 'Initial' : `Adjustment ${adjustment}`;
}

/** What the reader looks for first. The sign is the invoice's own: it says who pays, and no word here does. */
function payableOf({ paymentSummary, dueDate }: SettlementInvoice): Fact[] {
  if (paymentSummary === undefined) return [];
  return [
    { label: 'Amount payable ($)', value: writeAmount(paymentSummary.payableAmount) },
    { label: 'Due date', value: dueDate },
    { label: 'Settlement required', value: paymentSummary.settlementRequired ? 'Yes' : 'No' },
  ];
}

function sectionsOf(invoice: SettlementInvoice): Section[] {
  const { paymentSummary, recipientCreatedTaxInvoice, taxInvoice, adjustmentSummary } = invoice;
  const sections: Section[] = [];
  if (paymentSummary !== undefined)
    sections.push(paymentSummarySection(paymentSummary), ...messagesSection(paymentSummary));
  if (recipientCreatedTaxInvoice !== undefined)
    sections.push(taxInvoiceSection('Recipient created tax invoice', recipientCreatedTaxInvoice));
  if (taxInvoice !== undefined) sections.push(taxInvoiceSection('Tax invoice', taxInvoice));
  if (adjustmentSummary !== undefined) sections.push(...adjustmentSection(adjustmentSummary));
  return sections;
}

function present(facts: readonly (readonly [string, string | null | undefined])[]): Fact[] {
  return facts.flatMap(([label, value]) => {
    const text = printable(value ?? '');
    return text === '' ? [] : [{ label, value: text }];
  });
}
