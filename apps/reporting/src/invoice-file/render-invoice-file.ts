import { type SettlementInvoice, toInstant } from '@ssb/market';
import { pageOfInvoice } from './domain/page-of-invoice.js';
import { drawHead } from './draw-head.js';
import { drawSection } from './draw-section.js';
import { Sheet } from './sheet.js';
import { CONTENT_WIDTH, FOOT, MARGIN, PAGE_HEIGHT } from './style.js';
import { typefaceFor } from './typeface.js';

/**
 * The invoice as a PDF (document 000, operation 8): A4, as many pages as its lines need. The same invoice gives the same
 * bytes: the moment of making is the first of its invoice date. Any Unicode text is taken; a character that
 * DejaVu Sans has not is an empty box. Amounts stand in the invoice's own digits.
 */
export async function renderInvoiceFile(invoice: SettlementInvoice): Promise<Uint8Array> {
  const page = pageOfInvoice(invoice);
  // Every text is in there; JSON itself adds plain ASCII only.
  const typeface = await typefaceFor(JSON.stringify(page));
  const created = toInstant(invoice.invoiceDate);
  const sheet = new Sheet(typeface, { title: page.title, subject: page.subtitle, created });
  drawHead(sheet, page);
  for (const section of page.sections) await drawSection(sheet, section);
  sheet.onEveryPage((number, pages) =>
    sheet.decoration(() => {
      const y = PAGE_HEIGHT - 42;
      sheet.write(page.foot, sheet.fitting(page.foot, FOOT, CONTENT_WIDTH - 80), MARGIN, y);
      sheet.writeRight(`Page ${number} of ${pages}`, FOOT, MARGIN + CONTENT_WIDTH, y, 80);
    }),
  );
  return sheet.finish();
}
