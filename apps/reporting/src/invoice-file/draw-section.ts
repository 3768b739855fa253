import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Notes, Section } from './domain/page.js';
import { drawTable } from './draw-table.js';
import type { Sheet } from './sheet.js';
import { BODY, CONTENT_WIDTH, HEADING, MARGIN, lineHeight } from './style.js';

/** A heading stands on the page of what it is about: it goes over to the next page together with three rows. */
const ROOM_BELOW_HEADING = 64;

/** A heading with its tables and notes. */
export async function drawSection(sheet: Sheet, { heading, blocks }: Section): Promise<void> {
  drawHeading(sheet, heading);
  for (const block of blocks) {
    switch (block.kind) {
      case 'table':
        await drawTable(sheet, block);
        break;
      case 'notes':
        await drawNotes(sheet, block);
        break;
      default:
        block satisfies never;
    }
  }
}

function drawHeading(sheet: Sheet, heading: string): void {
  const lines = sheet.wrap(heading, HEADING, CONTENT_WIDTH);
  sheet.makeRoom(lineHeight(HEADING) + ROOM_BELOW_HEADING);
  sheet.y += 6;
  for (const line of lines) {
    sheet.makeRoom(lineHeight(HEADING));
    sheet.tagged('H2', () => sheet.write(line, HEADING, MARGIN, sheet.y));
    sheet.y += lineHeight(HEADING);
  }
  sheet.y += 3;
}

async function drawNotes(sheet: Sheet, { lines }: Notes): Promise<void> {
  for (const text of lines) {
    for (const line of sheet.wrap(text, BODY, CONTENT_WIDTH)) {
      sheet.makeRoom(lineHeight(BODY));
      sheet.tagged('P', () => sheet.write(line, BODY, MARGIN, sheet.y));
      sheet.y += lineHeight(BODY);
    }
    sheet.y += 3;
    await nextTurn();
  }
  sheet.y += 8;
}
