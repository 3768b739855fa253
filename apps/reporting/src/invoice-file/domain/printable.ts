/** Control characters and halves of surrogate pairs have no shape on paper. */
const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;
const LONE_SURROGATES = /\p{Cs}/gu;

/** The text on one line, with a blank for every run of control characters and U+FFFD for half a character. */
export function printable(text: string): string {
  return text.replace(CONTROLS, ' ').replace(LONE_SURROGATES, '\ufffd').trim();
}

/** The text in the lines that it came in, blank ones left out. */
export function printableLines(text: string): string[] {
  return text
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map(printable)
    .filter((line) => line !== '');
}
