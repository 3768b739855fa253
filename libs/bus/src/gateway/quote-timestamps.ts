/**
 * A member `"timestampNanos": <digits>`. It cannot match inside a string value: there every quote is escaped, so a quote that
 * follows `{`, `,` or white space directly opens a string, and one that closes a string is never followed by a letter.
 */
const TIMESTAMP_MEMBER = /([{,]\s*"timestampNanos"\s*:\s*)(\d+)(?=\s*[,}])/g;

/** Puts the digits of every `timestampNanos` in valid JSON text into quotes, so that `JSON.parse` keeps them all. */
export function quoteTimestamps(json: string): string {
  return json.replace(TIMESTAMP_MEMBER, '$1"$2"');
}
