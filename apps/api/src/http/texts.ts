const LONE_SURROGATE = /\p{Surrogate}/u;

/** Whether PostgreSQL can store the text: 1 to `maxLength` characters without NUL and lone surrogates. */
export function isStorable(text: string, maxLength: number): boolean {
  return text.trim() !== '' && text.length <= maxLength && !text.includes('\0') && !LONE_SURROGATE.test(text);
}
