import type { OperatorConfig } from '@ssb/config';
import { isSameIdentity } from '@ssb/identity';
import type { Database } from '@ssb/postgres';
import type { ChannelTrust, OriginTrustEntry, TrustEntry, TrustFile } from 'settlement-bus-downstream';

/** An interval in which the subscriber trusted a key on a channel. */
export interface KeyInterval {
  readonly channel: string;
  readonly role: 'gateway' | 'origin';
  readonly did: string;
  readonly participants: readonly string[];
  /** Null: since before intervals were recorded. */
  readonly from: string | null;
  /** Null: it is trusted at present. */
  readonly until: string | null;
  /** Since when the key may be in other hands. */
  readonly revoked: string | null;
}

const utc = (column: string): string =>
  `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/** The intervals of all channels, or of one, the oldest first. */
export function readKeyHistory(database: Database, channel?: string): Promise<readonly KeyInterval[]> {
  return database.query<KeyInterval>(
    `SELECT channel, role, did, participants, ${utc('trusted_until')} AS until,
            CASE WHEN trusted_from > '-infinity' THEN ${utc('trusted_from')} END AS "from",
            (SELECT ${utc('min(revoked_since)')} FROM revoked_key WHERE revoked_key.did = trusted_key.did AND withdrawn_at IS NULL) AS revoked
     FROM trusted_key WHERE $1::text IS NULL OR channel = $1 ORDER BY channel, role, trusted_from, did`,
    [channel ?? null],
  );
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
    ...(from !== null && { from }),
    ...(until !== null && { until }),
    ...(revoked !== null && { revoked }),
  };
}

type Revocation = NonNullable<OperatorConfig['revoked']>[number];

/** Adds the revocations of a configuration, also when no subscriber has applied them yet. The earliest time of a key counts. */
export function withRevocations(
  intervals: readonly KeyInterval[],
  revocations: readonly Revocation[] = [],
): KeyInterval[] {
  return intervals.map((interval) => {
    const own = revocations.filter(({ did }) => isSameIdentity(did, interval.did));
    const times = [...own.map(({ since }) => new Date(since).toISOString()), interval.revoked ?? []].flat();
    const [revoked = null] = times.toSorted((one, other) => Date.parse(one) - Date.parse(other));
    return { ...interval, revoked };
  });
}

/**
 * Adds the intervals to the trust file of a configuration, which alone decides what is trusted at present. A key that it does not name any more
 * ended at the latest now, also when no subscriber has applied it yet.
 */
export function withHistory(file: TrustFile, intervals: readonly KeyInterval[], now: Date): TrustFile {
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
