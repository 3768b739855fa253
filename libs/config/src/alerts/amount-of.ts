import { type DetectedEvent, type EventDataByType, type EventType } from '@ssb/events';
import { compareDecimals, subtractDecimals, tryParseDecimal, type Decimal } from '@ssb/market/decimal';

/** Which amount of an event type the matcher `amounts` compares. */
interface AmountDescription<Type extends EventType> {
  /** For the documentation, in terms of `data`. */
  readonly meaning: string;
  /** `as-sent`: with the sign that the event has. `size`: without a sign, for a payment and for a receipt. */
  readonly sign: 'as-sent' | 'size';
  /** Undefined when the operator did not send it. */
  readonly read: (data: EventDataByType[Type]) => string | undefined;
}

const margin = {
  meaning: '`tradingMargin`',
  sign: 'as-sent',
  read: ({ tradingMargin }: { readonly tradingMargin?: string | undefined }) => tradingMargin,
} as const;
const creditSupport = {
  meaning: '`difference`: credit support minus credit limit',
  sign: 'as-sent',
  read: ({ difference }: { readonly difference: string }) => difference,
} as const;

interface InvoiceSums {
  readonly payableAmount?: string | undefined;
  readonly total?: string | undefined;
}
const readInvoice = ({ payableAmount, total }: InvoiceSums): string | undefined => payableAmount ?? total;
const invoice = {
  meaning: '`payableAmount`, otherwise `total`',
  sign: 'size',
  read: readInvoice,
} as const;

/** The amount that decides of each type. A type that is not here has none. */
export const AMOUNTS: { readonly [Type in EventType]?: AmountDescription<Type> } = {
  'settlementbus.statement.published.v1': {
    meaning: '`totals.payment` minus `totals.charge`',
    sign: 'size',
    read: ({ totals }) => subtract(totals.payment, totals.charge),
  },
  'settlementbus.statement.revised.v1': {
    meaning:
      'the change `difference.payment` minus `difference.charge`. Without `difference`, `totals.payment` minus `totals.charge`',
    sign: 'size',
    read: ({ totals, difference = totals }) => subtract(difference.payment, difference.charge),
  },
  'settlementbus.invoice.issued.v1': invoice,
  'settlementbus.invoice.adjusted.v1': invoice,
  'settlementbus.invoice.reversed.v1': {
    meaning: '`reversed.payableAmount`, otherwise `reversed.total`',
    sign: 'size',
    read: ({ reversed }) => readInvoice(reversed),
  },
  'settlementbus.invoice.discrepancy.v1': {
    meaning: 'the largest difference between `expected` and `stated` in `discrepancies`',
    sign: 'size',
    read: ({ discrepancies }) =>
      discrepancies
        .map(({ expected, stated }) => sizeOf(subtract(stated, expected)))
        .reduce((largest, each) => (compareDecimals(each, largest) > 0 ? each : largest), '0' as Decimal),
  },
  'settlementbus.payment.due.v1': {
    meaning: '`payableAmount`',
    sign: 'size',
    read: ({ payableAmount }) => payableAmount,
  },
  'settlementbus.position.calculated.v1': margin,
  'settlementbus.margin.warning.v1': margin,
  'settlementbus.margin.breached.v1': margin,
  'settlementbus.margin.restored.v1': margin,
  'settlementbus.margin.breach-forecast.v1': margin,
  'settlementbus.margin.forecast-cleared.v1': margin,
  'settlementbus.credit-support.short.v1': creditSupport,
  'settlementbus.credit-support.restored.v1': creditSupport,
};

/** The amount that `amounts` of a rule compares; undefined for an event without one. */
export function amountOf({ type, data }: Pick<DetectedEvent, 'type' | 'data'>): Decimal | undefined {
  const description = AMOUNTS[type] as AmountDescription<EventType> | undefined;
  // The schema of the event allows only decimal numbers.
  const amount = description?.read(data) as Decimal | undefined;
  return amount !== undefined && description?.sign === 'size' ? sizeOf(amount) : amount;
}

/** An amount of an event type as a person writes it, in the form of `amountOf`; undefined when the text is not a decimal number. */
export function parseAmount(type: EventType, text: string): Decimal | undefined {
  const amount = tryParseDecimal(text);
  return amount !== undefined && AMOUNTS[type]?.sign === 'size' ? sizeOf(amount) : amount;
}

const subtract = (a: string, b: string): Decimal => subtractDecimals(a as Decimal, b as Decimal);

const sizeOf = (amount: Decimal): Decimal => amount.replace('-', '') as Decimal;
