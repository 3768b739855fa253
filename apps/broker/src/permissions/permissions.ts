import { lowerCaseAddress } from '@ssb/identity';
import type { Channel } from '../channels/channel.js';
import type { Refusal } from '../errors/refusal.js';

export type Permission = 'publish' | 'subscribe';

/** The identity of a caller. */
export interface Principal {
  /** In lower case. */
  readonly address: string;
  /** Approved roles. */
  readonly roles: ReadonlySet<string>;
}

/** What a permission on a channel depends on. */
export interface PermissionContext {
  readonly principal: Principal;
  /** Without this role no channel may be used. */
  readonly userRole: string;
  /** Undefined when there is no such channel. */
  readonly channel: Channel | undefined;
}

/**
 * Whether the caller may use the channel: first the user role (document 002, authentication rule 3: 403), then the channel (404), then
 * the permission on it (401).
 */
export function checkPermission(
  { principal, userRole, channel }: PermissionContext,
  permission: Permission,
  fqcn: string,
): Refusal | undefined {
  if (!principal.roles.has(userRole)) return { kind: 'not-enrolled', role: userRole };
  if (channel === undefined) return { kind: 'channel-unknown', fqcn };
  if (!hasPermission(principal, permission, channel)) return { kind: 'no-right', right: permission, fqcn };
  return undefined;
}

/** By the channel's own list, without the user role. */
export function hasPermission(principal: Principal, permission: Permission, channel: Channel): boolean {
  const members = permission === 'publish' ? channel.publishers : channel.subscribers;
  return members === undefined || isMember(principal, members);
}

/** Its creator and its admins: DIDs, or the holders of roles (document 002, Channel, names only DIDs). */
export function canManage(principal: Principal, channel: Channel): boolean {
  return didHasAddress(channel.createdBy, principal.address) || isMember(principal, channel.admins);
}

function isMember(principal: Principal, members: readonly string[]): boolean {
  return members.some((member) => principal.roles.has(member) || didHasAddress(member, principal.address));
}

/** Compares the last part of a DID without case, so a network part or checksum does not matter. */
export function didHasAddress(did: string, address: string): boolean {
  return did.startsWith('did:') && lowerCaseAddress(did) === address;
}
