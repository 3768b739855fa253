import { createEvent, dateOf, startOfDay, type FactIdentity } from '../envelope/create-event.js';
import type { Detection, EventEnvelope } from '../envelope/envelope.js';
import { boolean, date, dateTime, decimal, integer, label, object, oneOf } from './json-schema.js';
import { statementSubject } from './statement-published.js';

/** A settlement invoice (interface document 000, SettlementInvoice). Amounts are AUD decimal strings; dates are market dates. */
export interface InvoiceIssuedData {
  /** The market's invoice identifier. */
  readonly id: string;
  readonly reversedId?: string;
  readonly market: string;
  readonly designation: string;
  readonly periodFrom: string;
  readonly tradeWeek?: string;
  readonly tradeMonth?: string;
  /** 0: initial version; 1 to 3: adjustment version. */
  readonly adjustment: number;
  /** `yyyy-MM-dd`. */
  readonly invoiceDate: string;
  /** `yyyy-MM-dd`. */
  readonly dueDate: string;
  /** Absent when the invoice has no payment summary. */
  readonly total?: string;
  readonly payableAmount?: string;
  readonly settlementRequired?: boolean;
}

export type InvoiceFact = InvoiceIssuedData & { readonly participant: string };

/** Creates the event of an issued invoice. Source: document 000, operation 9. */
export function createInvoiceIssuedEvent(
  { participant, ...fact }: InvoiceFact,
  detection: Detection,
): EventEnvelope<'settlementbus.invoice.issued.v1', InvoiceIssuedData> {
  const data = { ...fact, invoiceDate: dateOf(fact.invoiceDate), dueDate: dateOf(fact.dueDate) };
  return createEvent(
    {
      type: 'settlementbus.invoice.issued.v1',
      ...identifyInvoice(participant, data),
      sequence: BigInt(data.invoiceDate.replaceAll('-', '')),
      marketTime: startOfDay(data.invoiceDate),
    },
    data,
    detection,
  );
}

export function identifyInvoice(
  participant: string,
  {
    market,
    periodFrom,
    designation,
    id,
    adjustment,
  }: Pick<InvoiceIssuedData, 'market' | 'periodFrom' | 'designation' | 'id' | 'adjustment'>,
): FactIdentity {
  const day = dateOf(periodFrom);
  return {
    participant,
    naturalKey: `${market}|${day}|${designation}|${id}`,
    version: String(adjustment),
    subject: `${statementSubject(participant, market, day, designation)}/invoice/${id}`,
  };
}

export const invoiceIssuedSchema = object(
  {
    id: label(20),
    reversedId: label(20),
    market: oneOf('WEM', 'NSTEM', 'STEM'),
    designation: oneOf('INITIAL', 'ADJ1', 'ADJ2', 'ADJ3'),
    periodFrom: dateTime,
    tradeWeek: label(14),
    tradeMonth: label(7),
    adjustment: integer(0, 3),
    invoiceDate: date,
    dueDate: date,
    total: decimal,
    payableAmount: decimal,
    settlementRequired: boolean,
  },
  ['reversedId', 'tradeWeek', 'tradeMonth', 'total', 'payableAmount', 'settlementRequired'],
);
