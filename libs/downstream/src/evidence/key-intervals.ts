import type { ChannelTrust, TrustEntry } from '../verify/trust.js';

/** When a key was trusted on a channel. Without `from`: since before this was recorded. Without `until`: it is trusted at present. */
export interface KeyInterval extends TrustEntry {
  readonly role: 'gateway' | 'origin';
  /** Of an origin: about which it may announce facts. */
  readonly participants: readonly string[];
}

/** The entries of a trust file for the intervals of one channel. */
export function toChannelTrust(intervals: readonly KeyInterval[]): ChannelTrust {
  const ofRole = (role: KeyInterval['role']) => intervals.filter((each) => each.role === role);
  return {
    gateways: ofRole('gateway').map(toEntry),
    origins: ofRole('origin').map((each) => ({ ...toEntry(each), participants: each.participants })),
  };
}

function toEntry({ did, from, until, revoked }: KeyInterval): TrustEntry {
  return {
    did,
    ...(from !== undefined && { from }),
    ...(until !== undefined && { until }),
    ...(revoked !== undefined && { revoked }),
  };
}
