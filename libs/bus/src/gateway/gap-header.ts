import type { MissedMessages } from './events-frame.js';

/**
 * Response header of `GET message`, at gateway and broker alike: messages of the channel were removed (retention) before this client
 * got them. A Dictionary of RFC 9651 §3.2 with two Strings, the ids of the last message before the gap and of the last one in it:
 * `bus-gap: after="…", up-to="…"`. Whoever does not know the header notices nothing.
 */
export const GAP_HEADER = 'bus-gap';

/** A gap in the one channel that was read. */
export type Gap = Omit<MissedMessages, 'fqcn'>;

/** A String of RFC 9651 §3.3.3: printable ASCII, of which quote and backslash are escaped. */
const STRING = String.raw`"((?:[ !#-\[\]-~]|\\["\\])*)"`;
const HEADER = new RegExp(`^after=${STRING}, *up-to=${STRING}$`);

/** @throws RangeError when an id is no printable ASCII, which no header can hold */
export function writeGapHeader({ after, upTo }: Gap): string {
  return `after=${quoted(after)}, up-to=${quoted(upTo)}`;
}

/** Undefined for a header that is missing, or none of these. */
export function readGapHeader(header: string | readonly string[] | undefined): Gap | undefined {
  const [, after, upTo] = typeof header === 'string' ? (HEADER.exec(header) ?? []) : [];
  if (after === undefined || upTo === undefined) return undefined;
  return { after: unquoted(after), upTo: unquoted(upTo) };
}

function quoted(id: string): string {
  if (!/^[ -~]*$/.test(id)) throw new RangeError('a message id that is no printable ASCII');
  return `"${id.replace(/["\\]/g, String.raw`\$&`)}"`;
}

function unquoted(text: string): string {
  return text.replace(/\\(["\\])/g, '$1');
}
