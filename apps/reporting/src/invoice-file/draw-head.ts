import type { Fact, InvoicePage } from './domain/page.js';
import type { Sheet } from './sheet.js';
import {
  ACCENT,
  BODY,
  CONTENT_WIDTH,
  LABEL,
  MARGIN,
  PAGE_WIDTH,
  PAYABLE,
  STRONG,
  SUBTITLE,
  TINT,
  TITLE,
  lineHeight,
} from './style.js';

const FACTS_LEFT = MARGIN + CONTENT_WIDTH * 0.56;
const FACT_LABEL_WIDTH = 84;
const PAYABLE_SHARES = [0.5, 0.25, 0.25];

/** Top of the first page: what this is, whom it is for, when it is due, how much. */
export function drawHead(sheet: Sheet, page: InvoicePage): void {
  drawTitle(sheet, page);
  const top = sheet.y;
  const leftEnd = drawParty(sheet, page.party, top);
  const rightEnd = drawFacts(sheet, page.facts, top);
  sheet.y = Math.max(leftEnd, rightEnd) + 12;
  if (page.payable.length > 0) drawPayable(sheet, page.payable);
}

function drawTitle(sheet: Sheet, { title, subtitle }: InvoicePage): void {
  sheet.decoration(() => sheet.fill(0, 0, PAGE_WIDTH, 8, ACCENT));
  const lines = sheet.wrap(title, TITLE, CONTENT_WIDTH);
  sheet.tagged('H1', () => sheet.writeLines(lines, TITLE, MARGIN, sheet.y));
  sheet.y += lines.length * lineHeight(TITLE);
  const below = sheet.wrap(subtitle, SUBTITLE, CONTENT_WIDTH);
  sheet.tagged('P', () => sheet.writeLines(below, SUBTITLE, MARGIN, sheet.y));
  sheet.y += below.length * lineHeight(SUBTITLE) + 16;
}

/** The place below what was written. */
function drawParty(sheet: Sheet, party: readonly string[], top: number): number {
  if (party.length === 0) return top;
  const width = FACTS_LEFT - MARGIN - 20;
  let y = top + lineHeight(LABEL) + 2;
  sheet.tagged('P', () => {
    sheet.write('Invoice to', LABEL, MARGIN, top);
    party.forEach((text, index) => {
      const style = index === 0 ? STRONG : BODY;
      const lines = sheet.wrap(text, style, width);
      sheet.writeLines(lines, style, MARGIN, y);
      y += lines.length * lineHeight(style);
    });
  });
  return y;
}

function drawFacts(sheet: Sheet, facts: readonly Fact[], top: number): number {
  const left = FACTS_LEFT + FACT_LABEL_WIDTH;
  let y = top;
  for (const { label, value } of facts) {
    const lines = sheet.wrap(value, BODY, MARGIN + CONTENT_WIDTH - left);
    sheet.tagged('P', () => {
      sheet.write(label, LABEL, FACTS_LEFT, y + 0.8);
      sheet.writeLines(lines, BODY, left, y);
    });
    y += lines.length * lineHeight(BODY);
  }
  return y;
}

function drawPayable(sheet: Sheet, facts: readonly Fact[]): void {
  const height = 44;
  const top = sheet.y;
  sheet.decoration(() => {
    sheet.fill(MARGIN, top, CONTENT_WIDTH, height, TINT);
    sheet.fill(MARGIN, top, 3, height, ACCENT);
  });
  let x = MARGIN + 14;
  facts.forEach(({ label, value }, index) => {
    const width = CONTENT_WIDTH * (PAYABLE_SHARES[index] ?? 0);
    const style = sheet.fitting(value, PAYABLE, width - 20);
    sheet.tagged('P', () => {
      sheet.write(label, LABEL, x, top + 8);
      sheet.write(value, style, x, top + 20);
    });
    x += width;
  });
  sheet.y = top + height + 10;
}
