import type { Issue } from '@ssb/market';
import { type BulkLine, parseBulkLine } from '@ssb/market/admin';
import { TimeSlicer } from '../time-slicer.js';
import { MAX_RECORD_BYTES } from './request-bodies.js';

/** An issue of one line. Lines are numbered from 1, blank ones included, as in an editor. */
export interface LineIssue extends Issue {
  readonly line: number;
}

export type BulkReading =
  /** `numbers[i]` is the line number of `lines[i]`. */
  | { readonly ok: true; readonly lines: readonly BulkLine[]; readonly numbers: readonly number[] }
  | { readonly ok: false; readonly issues: readonly LineIssue[] };

/** How long reading blocks other requests at a time. */
const MAX_SLICE_MS = 10;

/** Parses all JSON lines, or returns the first `maxIssues` issues. Other requests are served in between. */
export async function readBulk(text: string, maxIssues: number): Promise<BulkReading> {
  const lines: BulkLine[] = [];
  const numbers: number[] = [];
  const issues: LineIssue[] = [];
  const slicer = new TimeSlicer(MAX_SLICE_MS);
  let number = 0;
  for (let start = 0; start < text.length && issues.length < maxIssues;) {
    const feed = text.indexOf('\n', start);
    const end = feed === -1 ? text.length : feed;
    const line = text.slice(start, end);
    start = end + 1;
    number += 1;
    await slicer.pauseIfDue();
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
    : { ok: false, issues: issues.slice(0, maxIssues) };
}

/** The bound of a single record holds for a line too. */
function readLine(line: string): ReturnType<typeof parseBulkLine> {
  if (Buffer.byteLength(line) <= MAX_RECORD_BYTES) return parseBulkLine(line);
  const message = `expected at most ${MAX_RECORD_BYTES} bytes in a line`;
  return { ok: false, issues: [{ path: '', message }] };
}
