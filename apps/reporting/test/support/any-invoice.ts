import fc from 'fast-check';

/** Words have letters only, so that every number in the file is an amount. */
const word = fc.stringMatching(/^[A-Za-z]{1,9}$/);

/** The JSON digits of a decimal(p,2). */
const amount = (precision: number): fc.Arbitrary<string> =>
  fc
    .tuple(fc.constantFrom('', '-'), fc.bigInt(0n, 10n ** BigInt(precision - 2) - 1n), fc.nat(99), fc.nat(3))
    .map(([sign, whole, cents, form]) => {
      if (form === 0) return `${sign}${whole + 1n}`;
      if (form === 1) return `${sign}${whole + 1n}.${Math.floor(cents / 10)}`;
      return `${sign}${whole + 1n}.${String(cents).padStart(2, '0')}`;
    })
    .filter((digits) => digits.replace(/\D/g, '').length <= precision);

const line = fc.record(
  { code: fc.constant('CODE'), description: word, amount: amount(18), gstApplicable: fc.boolean() },
  { requiredKeys: ['code', 'amount'] },
);
const lines = fc.option(fc.array(line, { maxLength: 12 }));
const total = fc.record({ gstExclusive: amount(28), gst: amount(28), gstInclusive: amount(28) });
const taxInvoice = fc.record(
  { id: word, gstApplicable: lines, gstFree: lines, total },
  { requiredKeys: ['id'] },
);
const adjustmentLine = fc.record({ previous: amount(28), current: amount(28), adjustment: amount(28) });
const adjusted = fc.record(
  { gstExclusive: adjustmentLine, gst: adjustmentLine, gstInclusive: adjustmentLine },
  { requiredKeys: [] },
);
const adjustment = fc.record({ gstApplicable: adjusted, gstFree: adjustmentLine }, { requiredKeys: [] });
const prepayment = fc.record({ balance: amount(18), asAt: fc.constant('2026-03-12T10:00:00.123') });
const paymentSummary = fc.record(
  {
    lineItems: lines,
    total: amount(18),
    prepaymentBalance: prepayment,
    payableAmount: amount(18),
    messages: fc.option(fc.array(word, { maxLength: 3 })),
    settlementRequired: fc.boolean(),
  },
  { requiredKeys: ['total', 'payableAmount', 'settlementRequired'] },
);
const party = fc.record(
  {
    id: word,
    name: word,
    addressLine1: word,
    addressLine2: fc.option(word),
    abn: fc.constant('12 345 678 901'),
  },
  { requiredKeys: ['id', 'name'] },
);

/** Any invoice, with each optional part present or absent. Amounts are texts until `toJson`. */
export const anyInvoice = fc.record(
  {
    id: word,
    reversedId: fc.option(word),
    party,
    invoiceDate: fc.constant('2026-03-12'),
    dueDate: fc.constant('2026-03-19'),
    market: fc.constant('WEM'),
    tradeWeek: fc.constant('TW 05 Mar 2026'),
    title: fc.option(word),
    paymentSummary,
    recipientCreatedTaxInvoice: taxInvoice,
    taxInvoice,
    adjustmentSummary: fc.record(
      { recipientCreatedTaxInvoiceAdjustment: adjustment, taxInvoiceAdjustment: adjustment },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: ['id', 'invoiceDate', 'dueDate', 'market'] },
);

/** The invoice as JSON. Texts of digits become numbers, and each line gets a unique code. */
export function toJson(invoice: object): string {
  let lines = 0;
  return JSON.stringify(invoice)
    .replace(/"(-?\d+(?:\.\d+)?)"/g, '$1')
    .replace(/"CODE"/g, () => `"LINE${letters(lines++)}"`);
}

/** 0 is `A`, 25 is `Z`, 26 is `BA`. */
function letters(number: number): string {
  const last = String.fromCharCode(65 + (number % 26));
  return number < 26 ? last : letters(Math.floor(number / 26)) + last;
}
