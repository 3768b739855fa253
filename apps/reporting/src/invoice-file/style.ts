/** How the invoice looks. Lengths are points, 72 to the inch. */
export interface TextStyle {
  readonly size: number;
  readonly bold: boolean;
  readonly color: string;
}

const INK = '#1b2733';
const MUTED = '#5d6b7a';
export const ACCENT = '#0b4f6c';
export const TINT = '#eef3f6';
export const HAIRLINE = '#d5dde3';

export const TITLE: TextStyle = { size: 20, bold: true, color: ACCENT };
export const SUBTITLE: TextStyle = { size: 10, bold: false, color: MUTED };
export const HEADING: TextStyle = { size: 12, bold: true, color: ACCENT };
export const LABEL: TextStyle = { size: 8, bold: false, color: MUTED };
export const BODY: TextStyle = { size: 9, bold: false, color: INK };
export const STRONG: TextStyle = { size: 9, bold: true, color: INK };
export const PAYABLE: TextStyle = { size: 14, bold: true, color: INK };
export const COLUMN_TITLE: TextStyle = { size: 8, bold: true, color: MUTED };
export const FOOT: TextStyle = { size: 7.5, bold: false, color: MUTED };

/** A4, upright. */
export const PAGE_WIDTH = 595.28;
export const PAGE_HEIGHT = 841.89;
export const MARGIN = 48;
export const CONTENT_WIDTH = PAGE_WIDTH - 2 * MARGIN;
/** The foot stands below this. */
export const CONTENT_BOTTOM = PAGE_HEIGHT - 64;

/** From one line to the next. */
export function lineHeight({ size }: TextStyle): number {
  return size * 1.35;
}
