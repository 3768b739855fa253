import { renderTable } from '@ssb/platform';
import { readFileSync, writeFileSync } from 'node:fs';

/** The nearest-rank percentile. @param share from 0 to 1 @throws RangeError without samples */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((one, other) => one - other);
  const value = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
  if (value === undefined) throw new RangeError('no samples');
  return value;
}

export function median(samples: readonly number[]): number {
  return percentile(samples, 0.5);
}

/** A whole number with groups of thousands: `7 257`. */
export function formatInteger(value: number): string {
  return Math.round(value).toLocaleString('en-US').replaceAll(',', ' ');
}

/** Milliseconds, with one decimal below ten. */
export function formatMs(value: number): string {
  return `${value < 10 ? value.toFixed(1) : formatInteger(value)} ms`;
}

export function formatRate(perSecond: number): string {
  return `${formatInteger(perSecond)}/s`;
}

export function formatRatio(value: number): string {
  return value.toFixed(2);
}

/** A table row with the name, the median of the runs, and the lowest and highest run. */
export function buildRow(
  name: string,
  runs: readonly number[],
  format: (value: number) => string,
): [string, string, string] {
  const range = runs.length > 1 ? `${format(Math.min(...runs))} to ${format(Math.max(...runs))}` : '';
  return [name, format(median(runs)), range];
}

/** A table in a Markdown code block. */
export function renderFencedTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [
    '```',
    renderTable(
      [...head],
      rows.map((row) => [...row]),
    ),
    '```',
  ].join('\n');
}

/** The benchmarks page has no markers for a section. */
export class MissingMarkersError extends Error {
  override readonly name = 'MissingMarkersError';

  constructor(
    readonly file: string,
    readonly section: string,
  ) {
    super(`${file} has no markers for the figures of ${section}. Add them, then run the command again.`);
  }
}

/** Replaces the figures between the two markers of a section on the benchmarks page. @throws MissingMarkersError */
export function writeFigures(file: string, section: string, report: string): void {
  const begin = `<!-- figures of ${section}: npm run bench -- --only ${section} --write -->`;
  const end = `<!-- end of ${section} -->`;
  const text = readFileSync(file, 'utf8');
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  if (from < 0 || to < from) throw new MissingMarkersError(file, section);
  writeFileSync(file, `${text.slice(0, from + begin.length)}\n\n${report.trimEnd()}\n\n${text.slice(to)}`);
}
