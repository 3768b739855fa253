import { tryParseDuration } from '@ssb/config/duration';
import { InvalidArgumentError, Option, type Command } from 'commander';

export function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (!(seconds > 0 && seconds <= 86_400)) throw new InvalidArgumentError('A number of seconds up to 86400.');
  return seconds;
}

/** The length of a name that a request may have. */
const MAX_NAME_LENGTH = 200;

/** Of a sink or a participant. */
export function parseName(text: string): string {
  if (text.trim() === '' || text.length > MAX_NAME_LENGTH)
    throw new InvalidArgumentError(`A text of 1 to ${MAX_NAME_LENGTH} characters.`);
  return text;
}

/** For an option that may be repeated. */
export const collectNames = (text: string, earlier: readonly string[] = []): string[] => [
  ...earlier,
  parseName(text),
];

/** The times of the archive, in milliseconds. PostgreSQL and RFC 3339 write each of them alike. */
const MAX_TIME_MS = Date.parse('9999-12-31T23:59:59Z');
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

/** @returns the time in RFC 3339, in UTC */
export function parseTime(text: string): string {
  const ago = tryParseDuration(text);
  const time = ago === undefined ? toUtc(readTime(atBeginningOfDay(text))) : toUtc(Date.now() - ago);
  if (time === undefined)
    throw new InvalidArgumentError(
      'A time with its zone, such as 2026-01-31T16:00:00+08:00, a day of the market, 2026-01-31, or how long ago: 30m, 12h, 7d; from 1970 on.',
    );
  return time;
}

/** A day of the market (UTC+8) is the time at which it begins. */
const atBeginningOfDay = (text: string): string => (isDay(text) ? `${text}T00:00:00+08:00` : text);

/** @returns the time in RFC 3339, in UTC */
export function parseTimeWithZone(text: string): string {
  const time = toUtc(readTime(text));
  if (time === undefined)
    throw new InvalidArgumentError('A time with its zone, such as 2026-01-31T16:00:00+08:00, from 1970 on.');
  return time;
}

export const isDay = (text: string): boolean => !Number.isNaN(readTime(`${text}T00:00:00Z`));

/** A day of the market. */
export function parseDate(text: string): string {
  if (!isDay(text)) throw new InvalidArgumentError('A date such as 2026-01-31.');
  return text;
}

/** NaN for another text, and for a day that does not exist, such as 31 February. */
function readTime(text: string): number {
  const date = text.slice(0, 10);
  const day = TIME.test(text) ? Date.parse(`${date}T00:00:00Z`) : NaN;
  return toUtc(day)?.startsWith(date) === true ? Date.parse(text) : NaN;
}

const toUtc = (ms: number): string | undefined =>
  ms >= 0 && ms <= MAX_TIME_MS ? new Date(ms).toISOString() : undefined;

const MAX_LIMIT = 1_000;

export const parseLimit =
  (maximum = MAX_LIMIT) =>
  (text: string): number => {
    const limit = Number(text);
    if (!Number.isInteger(limit) || limit < 1 || limit > maximum)
      throw new InvalidArgumentError(`A whole number from 1 to ${maximum}.`);
    return limit;
  };

/** An option that may be repeated. @param choices its values */
export function choicesOption(flags: string, description: string, choices: readonly string[]): Option {
  const option = new Option(flags, `${description}; may be repeated`).argParser(collect(choices));
  // Of `choices`, commander would take the last one only.
  option.argChoices = [...choices];
  return option;
}

/** An option with a time in RFC 3339, or how long ago. */
export const timeOption = (flags: string, description: string): Option =>
  new Option(flags, `${description}: 30m, 7d, a day, or a time such as 2026-01-31T16:00:00+08:00`).argParser(
    parseTime,
  );

export type OutputForm = 'table' | 'json' | 'csv';

/** Of a command that prints a table of flat rows. */
export const LISTING_FORMS: readonly OutputForm[] = ['table', 'json', 'csv'];

/** How a command prints its result. */
export interface OutputOptions {
  readonly output: OutputForm;
}

/** Adds `-o` and its short form `--json`. */
export const addOutput = (command: Command, forms: readonly OutputForm[] = ['table', 'json']): Command =>
  command
    .addOption(new Option('-o, --output <form>', 'how the result is printed').choices(forms).default('table'))
    .addOption(new Option('--json', 'as -o json').implies({ output: 'json' }));

/** For an option that may be repeated. @param allowed its values; any text without */
export function collect(
  allowed?: readonly string[],
): (text: string, earlier?: readonly string[]) => string[] {
  return (text, earlier = []) => {
    if (allowed !== undefined && !allowed.includes(text))
      throw new InvalidArgumentError(`One of ${allowed.join(', ')}.`);
    return [...earlier, text];
  };
}
