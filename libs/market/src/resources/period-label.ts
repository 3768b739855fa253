import { isMarketDate } from '../market-time.js';

/** One of the ways in which document 000 writes a settlement period, and whether a text is a period written so. */
export interface PeriodLabel {
  /** As the document has it. */
  readonly written: string;
  readonly fits: (text: string) => boolean;
}

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];

/** The trading week of a day of the calendar. Which day of the week that is, the document does not say. */
export const WEEK_OF_DAY: PeriodLabel = label(
  'TW DD MMM YYYY',
  /^TW (?<day>\d{2}) (?<monthName>[A-Za-z]{3}) (?<year>\d{4})$/,
);
export const NUMBERED_WEEK: PeriodLabel = label('YYYY-WW', /^(?<year>\d{4})-(?<week>\d{2})$/);
export const NUMBERED_WEEK_OF_CYCLE: PeriodLabel = label('TW WW/YY', /^TW (?<week>\d{2})\/\d{2}$/);
export const MONTH: PeriodLabel = label('YYYY-MM', /^(?<year>\d{4})-(?<month>\d{2})$/);
export const NAMED_MONTH: PeriodLabel = label('MMM YYYY', /^(?<monthName>[A-Za-z]{3}) (?<year>\d{4})$/);

function label(written: string, pattern: RegExp): PeriodLabel {
  return {
    written,
    fits: (text) => {
      const parts = pattern.exec(text)?.groups;
      return parts !== undefined && isPossibleWeek(parts['week']) && isPossibleDay(parts);
    },
  };
}

/** Where weeks are counted from the document does not say; however it is done, a year has 54 at most. */
function isPossibleWeek(week: string | undefined): boolean {
  return week === undefined || (Number(week) >= 1 && Number(week) <= 54);
}

/** What a label leaves out is taken for the first of its kind, in a leap year. */
function isPossibleDay({ year = '2000', month, monthName, day = '01' }: Record<string, string>): boolean {
  const number = monthName === undefined ? 1 : MONTHS.indexOf(monthName.toUpperCase()) + 1;
  return isMarketDate(`${year}-${month ?? String(number).padStart(2, '0')}-${day}`);
}
