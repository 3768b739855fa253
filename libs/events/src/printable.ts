/** Control characters, line separators and characters that change the direction of the text. */
const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
/** RFC 8785 cannot represent these. */
const LONE_SURROGATES = /\p{Cs}/gu;

/** A text of unknown origin for a log, an alert or a terminal: one line without controls, at most `maxLength` characters. */
export function toPrintable(text: string, maxLength: number): string {
  const cut = text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;
  return cut.replace(LONE_SURROGATES, '\ufffd').replace(CONTROLS, '\ufffd');
}
