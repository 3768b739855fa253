/** Lines up columns for a reader; numbers of columns are equal in every row. The first row is the heading. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => (row[at] ?? '').length)));
  const lines = rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return `${lines.join('\n')}\n`;
}

/** A stranger's text for a terminal: what could move the cursor or break the line is shown as a dot. */
export function printable(text: string, longest = 80): string {
  const clean = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '·');
  return clean.length <= longest ? clean : `${clean.slice(0, longest - 1)}…`;
}
