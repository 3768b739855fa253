/**
 * Reads `Retry-After` (RFC 9110 §10.2.3), which is seconds or an HTTP date.
 * @returns milliseconds from `now`; undefined when it is absent or cannot be read
 */
export function retryAfterMs(header: string | string[] | undefined, now: Date): number | undefined {
  const text = Array.isArray(header) ? header[0] : header;
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text.trim())) return Number(text) * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now.getTime());
}
