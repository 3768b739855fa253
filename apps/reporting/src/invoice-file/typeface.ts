import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { isWinAnsi } from './domain/win-ansi.js';

/** What pdfkit's `font` takes: the name of a standard font, or the bytes of a TrueType file, which it embeds in part. */
export interface Typeface {
  readonly regular: string | Buffer;
  readonly bold: string | Buffer;
}

const STANDARD: Typeface = { regular: 'Helvetica', bold: 'Helvetica-Bold' };

/** A standard font where it can write the text, since that takes no room in the file; DejaVu Sans for everything else. */
export async function typefaceFor(text: string): Promise<Typeface> {
  if (isWinAnsi(text)) return STANDARD;
  dejaVu ??= readDejaVu();
  return dejaVu;
}

let dejaVu: Promise<Typeface> | undefined;

async function readDejaVu(): Promise<Typeface> {
  const { resolve } = createRequire(import.meta.url);
  const [regular, bold] = await Promise.all([
    readFile(resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf')),
    readFile(resolve('dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf')),
  ]);
  return { regular, bold };
}
