const UTC_TIME = /^(?!0000)[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,9})?Z$/;
const SECONDS = '0000-00-00T00:00:00'.length;

/**
 * Reads a time such as `2026-03-01T00:00:00.050Z`. Engines disagree about 30 February and hour 24, so these are refused.
 * @returns epoch milliseconds; NaN for another form, and for a day that the calendar does not have
 */
export function parseUtcTime(text: string): number {
  const milliseconds = UTC_TIME.test(text) ? Date.parse(text) : NaN;
  if (Number.isNaN(milliseconds)) return NaN;
  const isSame = new Date(milliseconds).toISOString().startsWith(text.slice(0, SECONDS));
  return isSame ? milliseconds : NaN;
}
