import { toMarketTime } from '@ssb/events';
import { renderRow } from '@ssb/platform';
import { describeFigures } from './event-figures.js';

/** Where the lines of npm start and the demo go. */
export interface LinePrinter {
  writeLine(line: string): void;
  /** A terminal shows the line in red. */
  writeAlert(line: string): void;
}

/** What the archive has about an event. */
export interface ArchivedEvent {
  readonly participant: string;
  readonly data: unknown;
}

export interface EventLine {
  readonly type: string;
  readonly subject: string;
  /** ISO 8601, UTC. */
  readonly archivedAt: string;
  readonly detectedAt?: string | undefined;
  /** A delivery of kind alert is marked with `!!`, also without colour. */
  readonly isAlert: boolean;
  /** Undefined when the archive could not be read: the line then has no figures. */
  readonly event?: ArchivedEvent | undefined;
}

export const EVENT_LINES_HEADER =
  'Events as they are archived. Market time (+08:00); AUD, rounded to cents; !! is an alert.';

const WIDTHS = [11, 19, 7, 22];
/** Of a line; what is less important is left out beyond it. */
const MAX_WIDTH = 100;

/** `!! 10:24:13  margin.breached      WPGENCO  margin -60,000.00 below 0.00  40 ms`. */
export function formatEventLine({
  type,
  subject,
  archivedAt,
  detectedAt,
  isAlert,
  event,
}: EventLine): string {
  const time = `${isAlert ? '!!' : '  '} ${formatMarketTime(archivedAt)}`;
  const { text = '', more = '' } = event === undefined ? {} : describeFigures(type, event.data);
  const about = event === undefined ? [subject] : [event.participant, ...describeRun(event)];
  const row = renderRow([time, shortenType(type), ...about, text], WIDTHS);
  const duration = detectedAt === undefined ? '' : formatDuration(detectedAt, archivedAt);
  return [more, duration]
    .filter((part) => part !== '')
    .reduce(
      (shown, part) => (shown.length + 2 + part.length <= MAX_WIDTH ? `${shown}  ${part}` : shown),
      row,
    );
}

export function printEventLine(printer: LinePrinter, line: EventLine): void {
  if (line.isAlert) printer.writeAlert(formatEventLine(line));
  else printer.writeLine(formatEventLine(line));
}

/** `WEM 2026-11-15 INITIAL` for an event about a settlement run. */
function describeRun({ data }: ArchivedEvent): string[] {
  const { marketService, market, periodFrom, designation } = data as Readonly<
    Record<string, string | undefined>
  >;
  const run = [marketService ?? market, periodFrom?.slice(0, 10), designation];
  return run.includes(undefined) ? [] : [run.join(' ')];
}

/** `settlementbus.statement.published.v1` becomes `statement.published`. */
export function shortenType(type: string): string {
  return type.replace(/^settlementbus\./, '').replace(/\.v\d+$/, '');
}

/** Keeps the first six and the last four digits of the address; `-` without a DID. */
export function shortenDid(did: string | undefined): string {
  return did?.replace(/(0x[0-9a-fA-F]{6})[0-9a-fA-F]+([0-9a-fA-F]{4})$/, '$1…$2') ?? '-';
}

/** Time of day in market time of an ISO 8601 time. */
export function formatMarketTime(time: string): string {
  return toMarketTime(new Date(time)).slice(11, 19);
}

/** UTC time of day of an ISO 8601 time, with milliseconds; `-` without a time. */
export function formatTime(time: string | undefined): string {
  return time === undefined ? '-' : new Date(time).toISOString().slice(11, 23);
}

/** Milliseconds between two ISO 8601 times; `-` if one is missing. */
export function formatDuration(from: string | undefined, to: string | undefined): string {
  if (from === undefined || to === undefined) return '-';
  return `${new Date(to).getTime() - new Date(from).getTime()} ms`;
}
