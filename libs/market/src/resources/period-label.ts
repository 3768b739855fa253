import { isMarketDate } from '../values/market-time.js';

/** A text form of a settlement period in document 000. */
export interface PeriodLabel {
  /** The form as the document writes it. */
  readonly format: string;
  /** Whether a text has this form and names an existing period. */
  readonly matches: (text: string) => boolean;
}

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];

/** The trading week that begins on a date. The document does not give the day of the week. */
export const WEEK_OF_DAY: PeriodLabel = createLabel(
  'TW DD MMM YYYY',
  /^TW (?<day>\d{2}) (?<monthName>[A-Za-z]{3}) (?<year>\d{4})$/,
);
export const NUMBERED_WEEK: PeriodLabel = createLabel('YYYY-WW', /^(?<year>\d{4})-(?<week>\d{2})$/);
export const NUMBERED_WEEK_OF_CYCLE: PeriodLabel = createLabel('TW WW/YY', /^TW (?<week>\d{2})\/\d{2}$/);
export const MONTH: PeriodLabel = createLabel('YYYY-MM', /^(?<year>\d{4})-(?<month>\d{2})$/);
export const NAMED_MONTH: PeriodLabel = createLabel('MMM YYYY', /^(?<monthName>[A-Za-z]{3}) (?<year>\d{4})$/);

function createLabel(format: string, pattern: RegExp): PeriodLabel {
  return {
    format,
    matches: (text) => {
      const groups = pattern.exec(text)?.groups;
      return groups !== undefined && isExistingWeek(groups['week']) && isExistingDay(groups);
    },
  };
}

/** The document does not say how weeks are counted; a year has at most 54 in any system. */
function isExistingWeek(week: string | undefined): boolean {
  return week === undefined || (Number(week) >= 1 && Number(week) <= 54);
}

/** Checks the parts that a label has; the others default to the first day of a leap year. */
function isExistingDay({ year = '2000', month, monthName, day = '01' }: Record<string, string>): boolean {
  const number = monthName === undefined ? 1 : MONTHS.indexOf(monthName.toUpperCase()) + 1;
  return isMarketDate(`${year}-${month ?? String(number).padStart(2, '0')}-${day}`);
}
