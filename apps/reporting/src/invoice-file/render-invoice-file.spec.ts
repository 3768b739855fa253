import fc from 'fast-check';
import { SettlementInvoice, parseJson } from '@ssb/market';
import { renderInvoiceFile } from './render-invoice-file.js';
import { anyInvoice, toJson } from '../../test/support/any-invoice.js';
import { readPdfText } from '../../test/support/poppler.js';

function parseInvoice(json: string): SettlementInvoice {
  const reading = SettlementInvoice.readStrict(parseJson(json));
  if (!reading.ok) throw new Error(reading.issues.map(({ path, message }) => `${path}: ${message}`).join());
  return reading.value;
}

const rendered = (json: string): Promise<Uint8Array> => renderInvoiceFile(parseInvoice(json));

const MINIMAL = '{"id":"INV-1","invoiceDate":"2026-03-12","dueDate":"2026-03-19","market":"STEM"}';
const minimal = (more: object): string => JSON.stringify({ ...(JSON.parse(MINIMAL) as object), ...more });

/** An amount in whole cents, so that amounts are compared without a double. */
const cents = (amount: string): bigint => {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)([\d,]+)(?:\.(\d+))?$/.exec(amount) ?? [];
  return BigInt(`${sign}${whole.replaceAll(',', '')}${fraction.padEnd(2, '0')}`);
};
const sorted = (amounts: readonly string[]): string[] =>
  amounts.map((amount) => String(cents(amount))).sort();

function amountsOnPaper(text: string): string[] {
  return text.split(/\s+/).filter((word) => /^-?[\d,]+\.\d+$/.test(word));
}

function amountsInJson(json: string): string[] {
  const amounts = [...json.matchAll(/:(-?\d+(?:\.\d+)?)(?=[,}])/g)].map(([, digits = '']) => digits);
  // The payable amount is at the top too.
  const payable = /"payableAmount":([^,}]+)/.exec(json)?.[1];
  return payable === undefined ? amounts : [...amounts, payable];
}

/** Each line of the JSON is a row with its description, GST and amount. */
function expectLines(text: string, json: string): void {
  const rows = text.split('\n').map((row) => row.trim().split(/\s{2,}/));
  for (const [, line = ''] of json.matchAll(/(\{"code":[^}]*\})/g)) {
    const [, code, amount = ''] = /"code":"(\w+)".*"amount":(-?[\d.]+)/.exec(line) ?? [];
    const { description, gstApplicable } = JSON.parse(line) as Record<string, unknown>;
    const row = rows.find(([first]) => first === code) ?? [];
    const gst = gstApplicable === undefined ? undefined : gstApplicable === true ? 'Yes' : 'No';
    expect(row.slice(1, -1)).toEqual([description, gst].filter((cell) => cell !== undefined));
    expect(cents(row.at(-1) ?? '')).toBe(cents(amount));
  }
}

describe('the invoice file', () => {
  it('has exactly the amounts of the JSON, and each line with its own description, GST and amount', async () => {
    await fc.assert(
      fc.asyncProperty(anyInvoice, async (invoice) => {
        const json = toJson(invoice);
        const text = await readPdfText(await rendered(json));
        expect(sorted(amountsOnPaper(text))).toEqual(sorted(amountsInJson(json)));
        expectLines(text, json);
      }),
      { numRuns: 3 },
    );
  });

  it('has parties, dates, totals and adjustments beside their labels', async () => {
    const line = '{"previous":1000.00,"current":1234567.80,"adjustment":1233567.80}';
    const text = await readPdfText(
      await rendered(`{"id":"WEM-7","reversedId":"WEM-5","party":{"id":"WPGENCO","name":"Participant Name",
        "addressLine1":"1 First Road","addressLine2":"Perth WA","abn":"12 345 678 901"},
        "invoiceDate":"2026-03-12","dueDate":"2026-03-19","market":"WEM","tradeWeek":"TW 05 Mar 2026","adjustment":2,
        "paymentSummary":{"total":-12345678.9,"prepaymentBalance":{"balance":0.50,"asAt":"2026-03-12T10:00:00.123"},
          "payableAmount":-12345678.40,"messages":["First note.\\nSecond note."],"settlementRequired":false},
        "taxInvoice":{"id":"TI-7","total":{"gstExclusive":100.00,"gst":10.00,"gstInclusive":110.00}},
        "recipientCreatedTaxInvoice":{"id":"RC-7","gstFree":[{"code":"FEE","amount":5}]},
        "adjustmentSummary":{"taxInvoiceAdjustment":{"gstApplicable":{"gst":${line}}}}}`),
    );
    const rows = text.split('\n').map((row) => row.trim().replace(/\s+/g, ' '));
    expect(rows).toEqual(
      expect.arrayContaining([
        'WEM settlement invoice',
        'Invoice WEM-7 · WEM · TW 05 Mar 2026',
        'First note.',
        'Second note.',
        'Total -12,345,678.90',
        'Prepayment balance as at 2026-03-12 10:00:00.123 0.50',
        'Amount payable -12,345,678.40',
        'Recipient created tax invoice RC-7',
        'GST free (amounts excluding GST)',
        'FEE 5.00',
        'Tax invoice TI-7',
        'Total excluding GST 100.00',
        'GST 10.00',
        'Total including GST 110.00',
        'GST 1,000.00 1,234,567.80 1,233,567.80',
        'Invoice WEM-7 · WPGENCO Page 1 of 1',
      ]),
    );
    for (const expected of [
      /Participant Name\b/,
      /1 First Road/,
      /Perth WA/,
      /ABN 12 345 678 901/,
      /Participant WPGENCO/,
      /Invoice date\s+2026-03-12/,
      /Due date\s+2026-03-19/,
      /Version\s+Adjustment 2/,
      /Reversal\s+WEM-5/,
      /Settlement required\s[^]*\bNo\b/,
    ])
      expect(text).toMatch(expected);
  });

  it('has column titles and a page number on each page', async () => {
    const lineItems = Array.from({ length: 150 }, (_, index) => ({ code: `LINE-${index}`, amount: index }));
    const paymentSummary = { lineItems, total: 1, payableAmount: 1, settlementRequired: true };
    const pages = (await readPdfText(await rendered(minimal({ paymentSummary })))).split('\f').slice(0, -1);
    expect(pages.length).toBeGreaterThan(1);
    pages.forEach((page, index) => {
      expect(page).toContain(`Page ${index + 1} of ${pages.length}`);
      expect(page).toMatch(/Code\s+Description\s+GST\s+Amount/);
    });
    const codes = pages.join('').match(/LINE-\d+/g);
    expect(codes).toEqual(lineItems.map(({ code }) => code));
  });
});

describe('any text', () => {
  it('is rendered, whatever its characters', async () => {
    const any = (maxLength: number) => fc.string({ unit: 'binary', maxLength });
    await fc.assert(
      fc.asyncProperty(any(40), any(20), any(150), async (name, id, words) => {
        const lineItems = [{ code: name, description: words, amount: 12.5 }];
        const summary = {
          lineItems,
          total: 1,
          payableAmount: 1,
          messages: [words],
          settlementRequired: true,
        };
        const file = rendered(minimal({ id, title: words, party: { id, name }, paymentSummary: summary }));
        expect(await readPdfText(await file)).toContain('12.50');
      }),
      // Each file with other characters than those of Helvetica embeds a font.
      { numRuns: 2 },
    );
  });

  it('embeds no font when Helvetica has all characters', async () => {
    const plain = await rendered(minimal({ title: 'Settlement – “quoted” 5 € Zoë' }));
    expect(Buffer.from(plain).includes('FontFile')).toBe(false);
    expect(await readPdfText(plain)).toContain('Settlement – “quoted” 5 € Zoë');
  });

  it('embeds a font for other characters, which can be extracted, with the same bytes for the same invoice', async () => {
    const name = 'Účastník Трейдинг Ελλάδα ≥ 1';
    const json = minimal({ party: { id: 'P', name } });
    const [first, second] = [await rendered(json), await rendered(json)];
    expect(Buffer.from(first).includes('FontFile')).toBe(true);
    expect(await readPdfText(first)).toContain(name);
    expect(Buffer.compare(first, second)).toBe(0);
  });
});
