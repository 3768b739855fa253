const LONE_SURROGATE = /\p{Surrogate}/u;

/** Characters of a participant's code (document 000). */
export const MAX_CODE_LENGTH = 60;
/** Characters of a name or an id in a filter. */
export const MAX_NAME_LENGTH = 200;
export const NAME_REQUIREMENT = `must have 1 to ${MAX_NAME_LENGTH} characters`;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether PostgreSQL can store the text: 1 to `maxLength` characters without NUL and lone surrogates. */
export function isStorable(text: string, maxLength: number): boolean {
  return text.trim() !== '' && text.length <= maxLength && !text.includes('\0') && !LONE_SURROGATE.test(text);
}

export function isName(text: string): boolean {
  return isStorable(text, MAX_NAME_LENGTH);
}

/** In lower case, as PostgreSQL writes it. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}
