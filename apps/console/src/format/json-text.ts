const INDENT = '  ';

/**
 * JSON text with line breaks and indentation. Only white space between its parts changes: numbers are not read, so no digit is lost.
 * @param text valid JSON; other text stays as it is as far as possible
 */
export function indentJson(text: string): string {
  let depth = 0;
  const line = (): string => `\n${INDENT.repeat(Math.max(0, depth))}`;
  const parts = text.match(JSON_PART) ?? [];
  return parts
    .map((part, index) => {
      switch (part) {
        case '{':
        case '[':
          depth += 1;
          return isEnd(parts[index + 1]) ? part : part + line();
        case '}':
        case ']':
          depth -= 1;
          return isStart(parts[index - 1]) ? part : line() + part;
        case ',':
          return part + line();
        case ':':
          return ': ';
        default:
          return part;
      }
    })
    .join('');
}

/** A text with its quotes, a sign of structure, or a number or word. White space between them is left out. */
export const JSON_PART = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+|"/gs;

const isStart = (part: string | undefined): boolean => part === '{' || part === '[';
const isEnd = (part: string | undefined): boolean => part === '}' || part === ']';
