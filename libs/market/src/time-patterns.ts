/**
 * Market dates and date-times as patterns of JSON Schema, which knows no date-time without a zone (`format: date-time` is
 * RFC 3339's and has one). They know how long each month is and leave leap years to the code.
 */
const YEAR = '(?!0000)\\d{4}';
const DAY_OF_MONTH =
  '(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|02-(?:0[1-9]|[12]\\d))';
const TIME = '(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d';

/** `yyyy-MM-dd` */
export const DATE_PATTERN = `^${YEAR}-${DAY_OF_MONTH}$`;
/** `yyyy-MM-ddTHH:mm:ss` */
export const DATE_TIME_PATTERN = `^${YEAR}-${DAY_OF_MONTH}T${TIME}$`;
/** `yyyy-MM-ddTHH:mm:ss.fff` */
export const DATE_TIME_MILLISECONDS_PATTERN = `^${YEAR}-${DAY_OF_MONTH}T${TIME}\\.\\d{3}$`;
/** `yyyy-MM-ddTHH:mm:ss`, with up to nine digits of a second where there are any. */
export const OPEN_DATE_TIME_PATTERN = `^${YEAR}-${DAY_OF_MONTH}T${TIME}(?:\\.\\d{1,9})?$`;
