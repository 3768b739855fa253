import { renderTable } from '@ssb/platform';
import { median } from './statistics.js';

/** A whole number with thin groups of thousands: `7 257`. */
export function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US').replaceAll(',', ' ');
}

/** Milliseconds; with one digit after the point below ten. */
export function milliseconds(value: number): string {
  return `${value < 10 ? value.toFixed(1) : whole(value)} ms`;
}

/** A row of a table of figures: what, the median of the runs, and the lowest and highest of them. */
export function figure(
  what: string,
  runs: readonly number[],
  write: (value: number) => string = whole,
): [string, string, string] {
  const range = runs.length > 1 ? `${write(Math.min(...runs))} to ${write(Math.max(...runs))}` : '';
  return [what, write(median(runs)), range];
}

/** A fenced table, as the benchmarks page has them. */
export function fenced(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [
    '```',
    renderTable(
      [...head],
      rows.map((row) => [...row]),
    ),
    '```',
  ].join('\n');
}
