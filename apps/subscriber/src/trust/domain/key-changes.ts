import { isDeepStrictEqual } from 'node:util';
import { findTrustedSenders, listReadChannels, type OperatorConfig } from '@ssb/config';
import { addressFromDid, didOf, methodOf, parseDid } from '@ssb/identity';

/** A key that is trusted on a channel. */
export interface TrustedKey {
  readonly channel: string;
  readonly role: 'gateway' | 'origin';
  /** With its checksum and without a network. */
  readonly did: string;
  /** Of an origin: about whom it may announce facts, in the order of their codes. */
  readonly participants: readonly string[];
}

/** The keys that a configuration trusts, each once a channel and role. */
export function listTrustedKeys(config: OperatorConfig): TrustedKey[] {
  return listReadChannels(config).flatMap((channel) => {
    const { gateways, origins } = findTrustedSenders(config, channel);
    const keys = [
      ...gateways.map((did): TrustedKey => ({
        channel,
        role: 'gateway',
        did: withoutNetwork(did),
        participants: [],
      })),
      ...origins.map(({ did, participants }): TrustedKey => ({
        channel,
        role: 'origin',
        did: withoutNetwork(did),
        participants,
      })),
    ];
    return mergeParticipants(keys);
  });
}

export interface KeyChanges {
  /** Keys whose interval ends. */
  readonly ended: readonly TrustedKey[];
  /** Keys whose interval begins. */
  readonly begun: readonly TrustedKey[];
}

/** What changes when the keys of the open intervals become those of a configuration. Other participants begin another interval. */
export function findKeyChanges(open: readonly TrustedKey[], trusted: readonly TrustedKey[]): KeyChanges {
  const isIn = (keys: readonly TrustedKey[], key: TrustedKey): boolean =>
    keys.some((each) => isDeepStrictEqual(each, key));
  return {
    ended: open.filter((key) => !isIn(trusted, key)),
    begun: trusted.filter((key) => !isIn(open, key)),
  };
}

/** The form in which a key is compared: two DIDs of one identity become the same text. */
export function withoutNetwork(did: string): string {
  return didOf(addressFromDid(did), { method: methodOf(parseDid(did)) });
}

function mergeParticipants(keys: readonly TrustedKey[]): TrustedKey[] {
  const merged = new Map<string, TrustedKey>();
  for (const key of keys) {
    const id = `${key.role} ${key.did}`;
    const codes = [...(merged.get(id)?.participants ?? []), ...key.participants];
    merged.set(id, { ...key, participants: [...new Set(codes)].sort() });
  }
  return [...merged.values()];
}
