import { isSameIdentity } from '@ssb/identity';
import { matchesPattern, type EventType } from './envelope/event-type.js';
import { ALL_PARTICIPANTS } from './types/bridge-alert.js';

/** A bridge that may sign events. */
export interface TrustedOrigin {
  readonly did: string;
  /** Participants about which it may announce facts. */
  readonly participants: readonly string[];
}

/** Who may send messages of a channel. */
export interface TrustedSenders {
  /** DIDs of the gateways that may post. */
  readonly gateways: readonly string[];
  /** A bridge that several entries name is there once for each. */
  readonly origins: readonly TrustedOrigin[];
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

const ALERT_CLEARED_TYPE = 'settlementbus.bridge.alert.cleared.v1' satisfies EventType;

/**
 * Whether an event only ends an alert about a former participant, which no bridge is trusted for any more. Every trusted origin may announce
 * it.
 * @param isParticipant whether a participant is named at present
 */
export function endsFormerAlert(
  { type, participant }: { readonly type: string; readonly participant: string },
  isParticipant: (code: string) => boolean,
): boolean {
  return type === ALERT_CLEARED_TYPE && participant !== ALL_PARTICIPANTS && !isParticipant(participant);
}
