/** Control characters, invisible characters such as those that change the direction of text, line separators, lone surrogates. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;
const UNSAFE_EXCEPT_LINE_END = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** One line for a terminal, a log or a fault, with the escapes of JSON instead of what a terminal would obey. */
export function escapeLine(text: string): string {
  return text.replace(UNSAFE, escapeCharacter);
}

/** As `escapeLine`, but keeps line ends. JSON keeps its value, because only its strings hold such characters. */
export function escapeLines(text: string): string {
  return text.replace(UNSAFE_EXCEPT_LINE_END, escapeCharacter);
}

/** `escapeLine` of at most `maxLength` characters, for a text of unknown origin and length. */
export function toPrintable(text: string, maxLength: number): string {
  const escaped = escapeLine(cut(text, maxLength));
  if (text.length <= maxLength && escaped.length <= maxLength) return escaped;
  return `${cut(escaped, maxLength - 1)}…`;
}

/** Does not leave half of a surrogate pair. */
function cut(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '');
}

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** JSON escapes a character beyond U+FFFF as two. */
function escapeCharacter(character: string): string {
  return SHORT[character] ?? character.split('').map(escapeUnit).join('');
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
