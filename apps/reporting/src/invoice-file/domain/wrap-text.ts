/** The width of a piece of text, in any unit. */
type Measure = (piece: string) => number;

/**
 * Breaks a text into lines no wider than `width`, at blanks, and inside a word only where the word alone is wider than a line.
 * Each word is measured once, so that a long text takes time in proportion. An empty text is one empty line.
 */
export function wrapText(text: string, width: number, measure: Measure): string[] {
  if (measure(text) <= width) return [text];
  const blank = measure(' ');
  const lines: string[] = [];
  let line: { text: string; width: number } | undefined;
  for (const word of text.split(' ').flatMap((word) => piecesOf(word, width, measure))) {
    if (line !== undefined && line.width + blank + word.width <= width) {
      line = { text: `${line.text} ${word.text}`, width: line.width + blank + word.width };
    } else {
      if (line !== undefined) lines.push(line.text);
      line = word;
    }
  }
  return line === undefined ? lines : [...lines, line.text];
}

/** A word that fits stays whole; another is cut before each character that would stand over the edge. */
function piecesOf(word: string, width: number, measure: Measure): { text: string; width: number }[] {
  const whole = { text: word, width: measure(word) };
  if (whole.width <= width) return [whole];
  const cut: { text: string; width: number }[] = [];
  let piece = { text: '', width: 0 };
  for (const character of word) {
    const wider = measure(character);
    if (piece.text !== '' && piece.width + wider > width) {
      cut.push(piece);
      piece = { text: '', width: 0 };
    }
    piece = { text: piece.text + character, width: piece.width + wider };
  }
  return [...cut, piece];
}
