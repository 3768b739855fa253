import { HEARTBEAT_TYPE } from '@ssb/config';
import { renderRow } from '@ssb/platform';
import type { LogLine } from '../system/app-process.js';
import { type EventTrace, EventTraces } from '../system/event-trace.js';

/** Where the lines of npm start and the demo go. */
export interface LinePrinter {
  writeLine(line: string): void;
  /** A terminal shows the line in red. */
  writeAlert(line: string): void;
}

const EVENT_WIDTHS = [15, 21, 33, 19];

/** One line for a verified event. A delivery of kind alert is marked with `!!`, also without colour. */
export function formatEventLine({ type, subject, at, origin, deliveryKind }: EventTrace): string {
  const time = `${deliveryKind === 'alert' ? '!!' : '  '} ${formatTime(at.verified)}`;
  const latency = `verified in ${formatDuration(at.detected, at.verified)}`;
  return renderRow([time, shortenType(type), subject, latency, shortenDid(origin)], EVENT_WIDTHS);
}

export function printEvent(printer: LinePrinter, trace: EventTrace): void {
  const line = formatEventLine(trace);
  if (trace.deliveryKind === 'alert') printer.writeAlert(line);
  else printer.writeLine(line);
}

/** More events than are in flight at the same time. */
const MAX_TRACES = 2_000;

/** Prints one line for each archived event; from this step on, the log shows the kind of its deliveries. */
export function createEventPrinter(printer: LinePrinter): (app: string, line: LogLine) => void {
  const traces = new EventTraces(MAX_TRACES);
  return (_, line) => {
    const trace = traces.record(line);
    if (trace !== undefined && line.step === 'archived' && trace.type !== HEARTBEAT_TYPE)
      printEvent(printer, trace);
  };
}

/** `settlementbus.statement.published.v1` becomes `statement.published`. */
export function shortenType(type: string): string {
  return type.replace(/^settlementbus\./, '').replace(/\.v\d+$/, '');
}

/** Keeps the first six and the last four digits of the address; `-` without a DID. */
export function shortenDid(did: string | undefined): string {
  return did?.replace(/(0x[0-9a-fA-F]{6})[0-9a-fA-F]+([0-9a-fA-F]{4})$/, '$1…$2') ?? '-';
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
