import type { Journey } from '../system/journey.js';

/** Words without colour, or with: decided once, where the output goes. */
export interface Paint {
  readonly alert: (text: string) => string;
  readonly dim: (text: string) => string;
}

export const plain: Paint = { alert: (text) => text, dim: (text) => text };
export const coloured: Paint = {
  alert: (text) => `\u001b[1;31m${text}\u001b[0m`,
  dim: (text) => `\u001b[2m${text}\u001b[0m`,
};

/** One line for a verified event; an alert stands out, also where there is no colour. */
export function eventLine({ type, subject, at, signer }: Journey, alert: boolean, paint: Paint): string {
  const time = clock(at.verified);
  const latency = elapsed(at.detected, at.verified);
  const mark = alert ? '!!' : '  ';
  const line = `${mark} ${time}  ${shortType(type).padEnd(22)} ${subject.padEnd(34)}`;
  const tail = paint.dim(`verified in ${latency.padStart(7)}  ${shortDid(signer)}`);
  return `${alert ? paint.alert(line) : line} ${tail}`;
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
