/** A table with columns padded to their widest cell and a rule below the head. */
export function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    rows.reduce((widest, row) => Math.max(widest, row[column]?.length ?? 0), title.length),
  );
  const rule = widths.map((width) => '─'.repeat(width));
  return [head, rule, ...rows].map((row) => renderRow(row, widths)).join('\n');
}

/** One row of a table whose further rows are not known yet. A wider cell moves the cells after it. */
export function renderRow(cells: readonly string[], widths: readonly number[]): string {
  return cells
    .map((cell, column) => cell.padEnd(widths[column] ?? 0))
    .join('  ')
    .trimEnd();
}

/**
 * Ends a command when the reader of its output ends (`… list | head`), which is no failure. Without this, Node prints a stack trace.
 * @param exit ends the process; by default at once and with its exit status
 * @param onFailed called for each output that fails otherwise, as on a full disk; by default the error is thrown
 */
export function exitWhenOutputCloses(
  exit: () => void = () => process.exit(),
  onFailed: (error: NodeJS.ErrnoException) => void = (error) => {
    throw error;
  },
): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') exit();
    else onFailed(error);
  });
}
