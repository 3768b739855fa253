import { methodOf, type Did } from '@ssb/identity';

/**
 * A bus has one DID method. Rights, positions and correlation ids are kept by the address in a DID, so a DID of another method, which is
 * another identity though its address be the same, must not come in at all.
 */
export function isOfBus(did: Did, method: string): boolean {
  return methodOf(did) === method;
}

/** DIDs of other methods among a channel's members; names of roles are passed over. */
export function membersOfOtherMethods(members: readonly string[], method: string): readonly string[] {
  return members.filter((each) => each.startsWith('did:') && !isOfBus(each as Did, method));
}
