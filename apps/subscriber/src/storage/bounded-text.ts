/** Longest text of a message's outer field that is kept; whatever is longer is no honest id, name or signature. */
const LONGEST = 512;

/** A text that the database takes whatever a stranger sent: PostgreSQL's text holds no NUL, an index no long entry. */
export function boundedText(text: string): string {
  const clean = text.replaceAll('\u0000', '\uFFFD').toWellFormed();
  return clean.length <= LONGEST ? clean : `${clean.slice(0, LONGEST).toWellFormed()}…`;
}
