export const PDF_FAULTS = ['empty', 'html', 'not-pdf', 'truncated', 'media-type'] as const;
/** Why a response is not a complete PDF. */
export type PdfFault = (typeof PDF_FAULTS)[number];

const HEADER = '%PDF-';
/** Ends the last section of every PDF (ISO 32000-1, 7.5.5). Readers search it in the last 1,024 bytes. */
const END = '%%EOF';
const SEARCHED_BYTES = 1_024;

/** Checks the beginning and the end of a PDF. Undefined when both are there. */
export function findPdfFault(content: Uint8Array): Exclude<PdfFault, 'media-type'> | undefined {
  if (content.length === 0) return 'empty';
  const beginning = textOf(content.subarray(0, SEARCHED_BYTES));
  if (!beginning.startsWith(HEADER))
    return /^\s*<(!doctype\s+html|html)\b/i.test(beginning) ? 'html' : 'not-pdf';
  return textOf(content.subarray(-SEARCHED_BYTES)).includes(END) ? undefined : 'truncated';
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}
