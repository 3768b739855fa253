/** Where the cross-reference table of a PDF begins (ISO 32000-1, 7.5.5). */
const TABLE_START = /startxref\s+(\d+)\s+%%EOF\s*$/;

/**
 * The PDF with a comment and a further end behind its own, so that it has this size and readers still find its table. One that is larger
 * stays as it is.
 */
export function padPdf(pdf: Buffer, bytes: number): Buffer {
  const start = TABLE_START.exec(pdf.toString('latin1'))?.[1] ?? '0';
  const end = `\nstartxref\n${start}\n%%EOF\n`;
  const padding = bytes - pdf.length - end.length - 2;
  if (padding < 0) return pdf;
  return Buffer.concat([pdf, Buffer.from('\n%'), Buffer.alloc(padding, 'x'), Buffer.from(end)]);
}
