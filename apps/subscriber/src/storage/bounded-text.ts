/** Longest text of a message's outer field that is kept; whatever is longer is no honest id, name or signature. */
const LONGEST = 512;

/** A text that the database takes whatever a stranger sent: PostgreSQL's text holds no NUL, an index no long entry. */
export function boundedText(text: string): string {
  const short = text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`;
  return Buffer.from(short.replaceAll('\u0000', '\uFFFD'), 'utf8').toString('utf8');
}
