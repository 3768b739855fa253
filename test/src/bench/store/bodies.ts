/** As the operator's door takes them; a little less, so that a line more still fits. */
export const LARGEST_BODY = 15 * 1024 * 1024;

/** The lines, in bodies that the operator's door takes. They are ASCII, so a character is a byte. */
export function* bodiesOf(lines: Iterable<string>): Generator<{ body: string; records: number }> {
  let part: string[] = [];
  let bytes = 0;
  for (const line of lines) {
    if (part.length > 0 && bytes + line.length + 1 > LARGEST_BODY) {
      yield { body: part.join(''), records: part.length };
      part = [];
      bytes = 0;
    }
    part.push(`${line}\n`);
    bytes += line.length + 1;
  }
  if (part.length > 0) yield { body: part.join(''), records: part.length };
}
