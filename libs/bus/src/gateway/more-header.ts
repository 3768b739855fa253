/**
 * Response header of `GET message`, at gateway and broker alike: the answer ended by its bounds, `amount` or the bytes that one may have, and
 * there are further messages. A Boolean of RFC 9651 §3.3.6, `bus-more: ?1`; where there are none there is no header.
 */
export const MORE_HEADER = 'bus-more';
export const MORE = '?1';

/** Parameters (RFC 9651 §3.1.2), which it does not have today, are passed over. */
export function readMoreHeader(header: string | readonly string[] | undefined): boolean {
  return typeof header === 'string' && /^ *\?1 *(?:;|$)/.test(header);
}
