import { ALL_PARTICIPANTS } from '@ssb/events';
import { isSameIdentity } from '@ssb/identity';
import { matchesPattern } from './lookup.js';
import type { OperatorConfig } from './schema.js';

/** A bridge that may sign events. */
export interface TrustedOrigin {
  readonly did: string;
  /** Participants about which it may announce facts. */
  readonly participants: readonly string[];
}

export interface TrustedSenders {
  /** DIDs of the gateways that may post. */
  readonly gateways: readonly string[];
  /** A bridge that several entries name is there once for each. */
  readonly origins: readonly TrustedOrigin[];
}

/** The trusted senders of a channel; empty when the file does not name the channel. */
export function findTrustedSenders(config: OperatorConfig, channel: string): TrustedSenders {
  return toTrustedSenders(
    config,
    config.senders.filter((entry) => entry.channel === channel),
  );
}

/** The trusted senders of all channels. */
export function listTrustedSenders(config: OperatorConfig): TrustedSenders {
  return toTrustedSenders(config, config.senders);
}

function toTrustedSenders(
  config: OperatorConfig,
  entries: readonly OperatorConfig['senders'][number][],
): TrustedSenders {
  return {
    gateways: entries.flatMap(({ gateways }) => gateways),
    origins: entries.flatMap((entry) => {
      const participants = listParticipants(config, entry);
      return entry.origins.map((did) => ({ did, participants }));
    }),
  };
}

/** The participants about which the origins of an entry may announce facts. */
export function listParticipants(
  config: OperatorConfig,
  { participants }: Pick<OperatorConfig['senders'][number], 'participants'>,
): readonly string[] {
  return participants ?? config.participants.map(({ code }) => code);
}

const BRIDGE_TYPES = 'settlementbus.bridge.*';

/**
 * Whether an origin may announce an event about a participant. `ALL_PARTICIPANTS` stands only in events about the bridge itself, which every
 * trusted origin may announce.
 */
export function mayAnnounce(
  { origins }: Pick<TrustedSenders, 'origins'>,
  origin: string,
  { type, participant }: { readonly type: string; readonly participant: string },
): boolean {
  const own = origins.filter(({ did }) => isSameIdentity(did, origin));
  if (participant === ALL_PARTICIPANTS) return own.length > 0 && matchesPattern(BRIDGE_TYPES, type);
  return own.some(({ participants }) => participants.includes(participant));
}
