import { setImmediate as nextTurn } from 'node:timers/promises';
import { readBulkLine, type BulkLine, type Issue } from '@ssb/market';
import { LARGEST_RECORD } from './domain/body-form.js';

/** A fault of one line. Lines are numbered from 1, blank ones included, as an editor does. */
export interface LineIssue extends Issue {
  readonly line: number;
}

export type BulkReading =
  /** `numbers[i]` is the number of the line that `lines[i]` was read from. */
  | { readonly ok: true; readonly lines: readonly BulkLine[]; readonly numbers: readonly number[] }
  | { readonly ok: false; readonly issues: readonly LineIssue[] };

/** How long other requests wait while lines are read, milliseconds; one line is the least. */
const READ_AT_A_STRETCH_MS = 10;

/** Reads JSON lines, all of them, or the first `mostIssues` faults. Lets other requests have their turn in between. */
export async function readBulk(text: string, mostIssues: number): Promise<BulkReading> {
  const lines: BulkLine[] = [];
  const numbers: number[] = [];
  const issues: LineIssue[] = [];
  let number = 0;
  let stretchBegan = performance.now();
  for (let start = 0; start < text.length && issues.length < mostIssues;) {
    const feed = text.indexOf('\n', start);
    const end = feed === -1 ? text.length : feed;
    const line = text.slice(start, end);
    start = end + 1;
    number += 1;
    if (performance.now() - stretchBegan > READ_AT_A_STRETCH_MS) {
      await nextTurn();
      stretchBegan = performance.now();
    }
    if (line.trim() === '') continue;
    const reading = readLine(line);
    if (reading.ok) {
      lines.push(reading.value);
      numbers.push(number);
    } else {
      for (const issue of reading.issues) issues.push({ line: number, ...issue });
    }
  }
  return issues.length === 0
    ? { ok: true, lines, numbers }
    : { ok: false, issues: issues.slice(0, mostIssues) };
}

/** A record may be as large in a line as by itself. */
function readLine(line: string): ReturnType<typeof readBulkLine> {
  if (Buffer.byteLength(line) <= LARGEST_RECORD) return readBulkLine(line);
  const message = `expected at most ${LARGEST_RECORD} bytes in a line`;
  return { ok: false, issues: [{ path: '', message }] };
}
