import { lowerCaseAddress } from '@ssb/identity';
import type { Channel } from '../channels/channel.js';
import type { Refusal } from '../errors/refusal.js';

export type Permission = 'publish' | 'subscribe';

export type Authorization =
  | { readonly ok: true; readonly channel: Channel }
  | { readonly ok: false; readonly refusal: Refusal };

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
  /** Every use of a channel requires this role. */
  readonly userRole: string;
  /** Undefined when there is no such channel. */
  readonly channel: Channel | undefined;
}

/**
 * Checks the user role (403; document 002, authentication rule 3), the channel (404) and the permission on it (401), in this order.
 * @returns the channel, or the first failure as the refusal
 */
export function checkPermission(
  { principal, userRole, channel }: PermissionContext,
  permission: Permission,
  fqcn: string,
): Authorization {
  if (!principal.roles.has(userRole)) return refuse({ kind: 'not-enrolled', role: userRole });
  if (channel === undefined) return refuse({ kind: 'channel-unknown', fqcn });
  if (!hasPermission(principal, permission, channel)) {
    return refuse({ kind: 'no-right', right: permission, fqcn });
  }
  return { ok: true, channel };
}

function refuse(refusal: Refusal): Authorization {
  return { ok: false, refusal };
}

/** Checks only the list of the channel, not the user role. */
export function hasPermission(principal: Principal, permission: Permission, channel: Channel): boolean {
  const members = permission === 'publish' ? channel.publishers : channel.subscribers;
  return members === undefined || isMember(principal, members);
}

/** True for the creator and the admins. An admin is a DID or a role name; document 002 (Channel) has only DIDs. */
export function canManage(principal: Principal, channel: Channel): boolean {
  return memberHasAddress(channel.createdBy, principal.address) || isMember(principal, channel.admins);
}

function isMember(principal: Principal, members: readonly string[]): boolean {
  return members.some((member) => principal.roles.has(member) || memberHasAddress(member, principal.address));
}

/** Compares only the address of the DID and ignores case, so a network part or a checksum has no effect. */
export function memberHasAddress(did: string, address: string): boolean {
  return did.startsWith('did:') && lowerCaseAddress(did) === address;
}
