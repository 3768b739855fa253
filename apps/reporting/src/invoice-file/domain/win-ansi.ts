/**
 * Characters of WinAnsiEncoding (ISO 32000-1, annex D.2), which the standard fonts of every PDF reader have: printable ASCII,
 * the upper half of Latin-1, and these.
 */
const BEYOND_LATIN_1 = '€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ';
const WIN_ANSI = new RegExp(`^[\\u0020-\\u007e\\u00a0-\\u00ff${BEYOND_LATIN_1}]*$`);

/** Whether a standard font can write the text. */
export function isWinAnsi(text: string): boolean {
  return WIN_ANSI.test(text);
}
