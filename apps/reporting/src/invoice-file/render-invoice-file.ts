import { createRequire } from 'node:module';
import { type SettlementInvoice, toInstant } from '@ssb/market';
import type { Pdfmake } from 'pdfmake';
import { invoiceContent, invoiceFooter, invoiceSubtitle, invoiceTitle } from './invoice-content.js';

const { resolve } = createRequire(import.meta.url);
const FONTS = {
  Helvetica: { normal: 'Helvetica', bold: 'Helvetica-Bold' },
  DejaVu: {
    normal: resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf'),
    bold: resolve('dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf'),
  },
};
const FONT_FILES = new Set(Object.values(FONTS).flatMap(({ normal, bold }) => [normal, bold]));

let configured = false;

/** Loads pdfmake with the first invoice, because loading it takes a third of the app's start time. */
async function loadPdfmake(): Promise<Pdfmake> {
  const { default: pdfmake } = await import('pdfmake');
  if (!configured) {
    pdfmake.setFonts(FONTS);
    pdfmake.setUrlAccessPolicy(() => false);
    pdfmake.setLocalAccessPolicy((path) => FONT_FILES.has(path));
    configured = true;
  }
  return pdfmake;
}

/** The characters of Helvetica: WinAnsiEncoding (ISO 32000-1, annex D.2). */
const WIN_ANSI = /^[\u0020-\u007e\u00a0-\u00ff€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]*$/;

/**
 * Renders the invoice as an A4 PDF (document 000, operation 8).
 * The same invoice gives the same bytes, because its invoice date is the creation date.
 */
export async function renderInvoiceFile(invoice: SettlementInvoice): Promise<Uint8Array> {
  const content = invoiceContent(invoice);
  const isWinAnsi = WIN_ANSI.test(JSON.stringify(content));
  const pdfmake = await loadPdfmake();
  return pdfmake
    .createPdf({
      content,
      footer: (page, pages) => invoiceFooter(invoice, page, pages),
      // Every PDF reader has Helvetica. A subset of DejaVu Sans is embedded for other scripts.
      defaultStyle: { font: isWinAnsi ? 'Helvetica' : 'DejaVu', fontSize: 9 },
      pageSize: 'A4',
      pageMargins: [48, 48, 48, 64],
      version: '1.7',
      language: 'en-AU',
      displayTitle: true,
      info: {
        title: invoiceTitle(invoice),
        subject: invoiceSubtitle(invoice),
        creator: 'Settlement reporting',
        creationDate: toInstant(invoice.invoiceDate),
      },
    })
    .getBuffer();
}
