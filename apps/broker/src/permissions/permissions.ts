import { identityOf } from '@ssb/identity';
import type { Channel } from '../channels/channel.js';
import type { Refusal } from '../errors/refusal.js';

/** Who is asking: an address in lower case, and the roles that an issuer has approved. */
export interface Standing {
  readonly address: string;
  readonly roles: ReadonlySet<string>;
}

export type Right = 'publish' | 'subscribe';

/**
 * Whether somebody may use a channel. First the user role (document 002, authentication rule 3: 403 without it), then the channel
 * (404), then the right on it (401).
 */
export function mayUse(
  who: Standing,
  right: Right,
  fqcn: string,
  channel: Channel | undefined,
  userRole: string,
): Refusal | undefined {
  if (!who.roles.has(userRole)) return { kind: 'not-enrolled', role: userRole };
  if (channel === undefined) return { kind: 'channel-unknown', fqcn };
  if (!holdsRight(who, right, channel)) return { kind: 'no-right', right, fqcn };
  return undefined;
}

/** The right on a channel alone; the user role is asked for separately. */
export function holdsRight(who: Standing, right: Right, channel: Channel): boolean {
  const allowed = right === 'publish' ? channel.publishers : channel.subscribers;
  return allowed === undefined || isAmong(who, allowed);
}

/** Its creator, and its admins: DIDs, or roles (document 002, Channel, names DIDs alone; a role stands for those who hold it). */
export function mayManage(who: Standing, channel: Channel): boolean {
  return isDidOf(channel.createdBy, who.address) || isAmong(who, channel.admins);
}

function isAmong(who: Standing, entries: readonly string[]): boolean {
  return entries.some((entry) => who.roles.has(entry) || isDidOf(entry, who.address));
}

/** A DID's identity is its last part; addresses are compared without case, so a network part or checksum does not matter. */
export function isDidOf(did: string, address: string): boolean {
  return did.startsWith('did:') && identityOf(did) === address;
}
