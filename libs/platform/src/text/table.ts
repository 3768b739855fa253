/** Columns padded to their widest cell, with a rule below the head. */
export function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, at) =>
    rows.reduce((widest, row) => Math.max(widest, row[at]?.length ?? 0), title.length),
  );
  const rule = widths.map((width) => '─'.repeat(width));
  return [head, rule, ...rows].map((row) => renderRow(row, widths)).join('\n');
}

/** One row of a table whose further rows are not known yet. A wider cell moves the cells after it. */
export function renderRow(cells: readonly string[], widths: readonly number[]): string {
  return cells
    .map((cell, at) => cell.padEnd(widths[at] ?? 0))
    .join('  ')
    .trimEnd();
}
