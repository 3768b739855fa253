import type { MissedMessages } from './events-frame.js';

/**
 * Header of `GET message` after retention removed unread messages: `bus-gap: after="…", up-to="…"` (RFC 9651 §3.2), the ids of the last
 * message before the gap and of the last one in it.
 */
export const GAP_HEADER = 'bus-gap';

/** A gap in the channel that was read. */
export type Gap = Omit<MissedMessages, 'fqcn'>;

/** A String of RFC 9651 §3.3.3: printable ASCII with quote and backslash escaped. */
const STRING = String.raw`"((?:[ !#-\[\]-~]|\\["\\])*)"`;
const GAP = new RegExp(`^after=${STRING}, *up-to=${STRING}$`);

/** @throws RangeError when an id is not printable ASCII */
export function writeGapHeader({ after, upTo }: Gap): string {
  return `after=${quote(after)}, up-to=${quote(upTo)}`;
}

/** Undefined for a missing or malformed header. */
export function readGapHeader(header: string | readonly string[] | undefined): Gap | undefined {
  const [, after, upTo] = typeof header === 'string' ? (GAP.exec(header) ?? []) : [];
  if (after === undefined || upTo === undefined) return undefined;
  return { after: unquote(after), upTo: unquote(upTo) };
}

/**
 * Response header of `GET message`: there are more messages than this response holds. A Boolean of RFC 9651 §3.3.6,
 * `bus-more: ?1`; absent when there are none.
 */
export const MORE_HEADER = 'bus-more';
export const MORE_HEADER_TRUE = '?1';

/** Parameters (RFC 9651 §3.1.2) are ignored. */
export function readMoreHeader(header: string | readonly string[] | undefined): boolean {
  return typeof header === 'string' && /^ *\?1 *(?:;|$)/.test(header);
}

function quote(id: string): string {
  if (!/^[ -~]*$/.test(id)) throw new RangeError('A message id is not printable ASCII');
  return `"${id.replace(/["\\]/g, String.raw`\$&`)}"`;
}

function unquote(text: string): string {
  return text.replace(/\\(["\\])/g, '$1');
}
