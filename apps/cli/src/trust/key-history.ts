import type { OperatorConfig } from '@ssb/config';
import { isSameIdentity } from '@ssb/identity';
import type { TrustedKeyRow } from '../api/operations.js';
import { toChannelTrust } from 'settlement-bus-downstream/checks';
import type { ChannelTrust, OriginTrustEntry, TrustEntry, TrustFile } from 'settlement-bus-downstream';

type Revocation = NonNullable<OperatorConfig['revoked']>[number];

/** Adds the revocations of a configuration, also when no subscriber has applied them yet. The earliest time of a key counts. */
export function withRevocations(
  intervals: readonly TrustedKeyRow[],
  revocations: readonly Revocation[] = [],
): TrustedKeyRow[] {
  return intervals.map((interval) => {
    const own = revocations.filter(({ did }) => isSameIdentity(did, interval.did));
    const times = [...own.map(({ since }) => new Date(since).toISOString()), interval.revoked ?? []].flat();
    const [revoked] = times.toSorted((one, other) => Date.parse(one) - Date.parse(other));
    return revoked === undefined ? interval : { ...interval, revoked };
  });
}

/**
 * Adds the intervals to the trust file of a configuration, which alone decides what is trusted at present. A key that it does not name any more
 * ended at the latest now, also when no subscriber has applied it yet.
 */
export function withHistory(file: TrustFile, intervals: readonly TrustedKeyRow[], now: Date): TrustFile {
  const names = new Set([...Object.keys(file.channels), ...intervals.map(({ channel }) => channel)]);
  const channels = [...names].map((channel): [string, ChannelTrust] => {
    const present = file.channels[channel] ?? { gateways: [], origins: [] };
    const kept = toChannelTrust(intervals.filter((each) => each.channel === channel));
    return [
      channel,
      {
        gateways: merge(present.gateways, kept.gateways, now, () => true),
        origins: merge(present.origins, kept.origins, now, hasSameParticipants),
      },
    ];
  });
  return { ...file, channels: Object.fromEntries(channels) };
}

function merge<Entry extends TrustEntry>(
  present: readonly Entry[],
  kept: readonly Entry[],
  now: Date,
  isSame: (one: Entry, other: Entry) => boolean,
): Entry[] {
  const isOpen = ({ until }: TrustEntry): boolean => until === undefined;
  const isThat = (one: Entry, other: Entry): boolean =>
    isSameIdentity(one.did, other.did) && isSame(one, other);
  const ended = kept.filter((each) => !isOpen(each) || !present.some((entry) => isThat(entry, each)));
  return [
    ...ended.map((each) => (isOpen(each) ? { ...each, until: now.toISOString() } : each)),
    ...present.map((entry) => {
      const from = kept.find((each) => isOpen(each) && isThat(entry, each))?.from;
      return from === undefined ? entry : { ...entry, from };
    }),
  ];
}

const hasSameParticipants = (one: OriginTrustEntry, other: OriginTrustEntry): boolean =>
  [...one.participants].sort().join() === [...other.participants].sort().join();
