import { renderRow } from '@ssb/platform';
import type { LogLine } from '../system/app-process.js';
import { EventTraces, type EventTrace } from '../system/event-trace.js';

/** Highlights an alert; decided once, by where the output goes. */
export type Paint = (text: string) => string;

export const plain: Paint = (text) => text;
export const coloured: Paint = (text) => `\u001b[1;31m${text}\u001b[0m`;

const EVENT_WIDTHS = [15, 21, 33, 19];

/** One line for a verified event; an alert is marked, also where there is no colour. */
export function eventLine({ type, subject, at, signer }: EventTrace, alert: boolean, paint: Paint): string {
  const time = `${alert ? '!!' : '  '} ${clock(at.verified)}`;
  const latency = `verified in ${elapsed(at.detected, at.verified)}`;
  const line = renderRow([time, shortType(type), subject, latency, shortDid(signer)], EVENT_WIDTHS);
  return alert ? paint(line) : line;
}

/** More than are in flight at once. */
const MAX_TRACES = 2_000;

/** Writes one line for each verified event. The `archived` line of the log says whether the event is an alert. */
export function eventLines(
  write: (line: string) => void,
  paint: Paint,
): (app: string, line: LogLine) => void {
  const traces = new EventTraces(MAX_TRACES);
  return (_, line) => {
    const trace = traces.note(line);
    if (trace === undefined || line.step !== 'archived') return;
    write(eventLine(trace, trace.alert ?? false, paint));
  };
}

/** `statement.published` of `settlementbus.statement.published.v1`. */
export function shortType(type: string): string {
  return type.replace(/^settlementbus\./, '').replace(/\.v\d+$/, '');
}

/** The first digits of an address are enough for an eye to compare. */
export function shortDid(did: string | undefined): string {
  return did?.replace(/(0x[0-9a-fA-F]{6})[0-9a-fA-F]+([0-9a-fA-F]{4})$/, '$1…$2') ?? '-';
}

/** Time of day in UTC with milliseconds of an ISO instant; `-` when there is none. */
export function clock(instant: string | undefined): string {
  return instant === undefined ? '-' : new Date(instant).toISOString().slice(11, 23);
}

/** Milliseconds between two ISO instants, readable. */
export function elapsed(from: string | undefined, to: string | undefined): string {
  if (from === undefined || to === undefined) return '-';
  return `${new Date(to).getTime() - new Date(from).getTime()} ms`;
}
