import { compose, dateOf, startOfDay } from '../envelope/compose.js';
import type { Detection, DetectedEvent } from '../envelope/event.js';
import { boolean, date, dateTime, decimal, integer, label, object, oneOf } from './schema-parts.js';
import { statementSubject } from './statement-published.js';

/** A settlement invoice (interface document 000, SettlementInvoice). Amounts are AUD decimal strings; dates are market dates. */
export interface InvoiceIssuedData {
  /** The operator's invoice identifier. */
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
  /** Absent when the operator sent no payment summary. */
  readonly total?: string;
  readonly payableAmount?: string;
  readonly settlementRequired?: boolean;
}

export type InvoiceFact = InvoiceIssuedData & { readonly participant: string };

/** An invoice was issued. Source: document 000, operation 9. */
export function invoiceIssued(
  { participant, ...given }: InvoiceFact,
  detection: Detection,
): DetectedEvent<'settlementbus.invoice.issued.v1'> {
  const data = { ...given, invoiceDate: dateOf(given.invoiceDate), dueDate: dateOf(given.dueDate) };
  const { market, designation, id } = data;
  const day = dateOf(data.periodFrom);
  return compose(
    {
      type: 'settlementbus.invoice.issued.v1',
      participant,
      naturalKey: `${market}|${day}|${designation}|${id}`,
      version: String(data.adjustment),
      subject: `${statementSubject(participant, market, day, designation)}/invoice/${id}`,
      sequence: BigInt(data.invoiceDate.replaceAll('-', '')),
      marketTime: startOfDay(data.invoiceDate),
    },
    data,
    detection,
  );
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
