/**
 * A trace of its own for each fact (W3C Trace Context, "traceparent", version 00): sampled, with the given random bytes as ids.
 *
 * @param random 24 bytes, not all zero
 */
export function newTraceparent(random: Buffer): string {
  return `00-${random.toString('hex', 0, 16)}-${random.toString('hex', 16, 24)}-01`;
}
