/** Redis keys of one participant's poller. The braces are a hash tag: all keys of a participant lie in one slot of a cluster. */
export function pollerKeys(participant: string): {
  readonly lease: string;
  readonly fence: string;
  readonly state: string;
} {
  const base = `bridge:poller:{${participant}}`;
  return { lease: `${base}:lease`, fence: `${base}:fence`, state: `${base}:state` };
}
