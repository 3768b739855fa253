import { methodOf, type Did } from '@ssb/identity';

/** Fully qualified channel name, `{channel}.channels.{app}.apps.{organisation}.iam.{root}`; compared exactly. */
export type Fqcn = string & { readonly __brand: 'Fqcn' };

const LABELS = '[A-Za-z0-9_-]+(?:\\.[A-Za-z0-9_-]+)*';
const CHANNEL = new RegExp(`^${LABELS}\\.channels\\.${LABELS}\\.apps\\.${LABELS}\\.iam\\.${LABELS}$`);
const ROLE = new RegExp(`^${LABELS}\\.roles\\.${LABELS}\\.apps\\.${LABELS}\\.iam\\.${LABELS}$`);
const TOPIC = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;
const LONGEST = 255;

export function isFqcn(text: string): text is Fqcn {
  return text.length <= LONGEST && CHANNEL.test(text);
}

/** `{role}.roles.{app}.apps.{organisation}.iam.{root}` */
export function isRoleName(text: string): boolean {
  return text.length <= LONGEST && ROLE.test(text);
}

export function isTopicName(text: string): boolean {
  return text.length <= LONGEST && TOPIC.test(text);
}

/** The topic of a message that names none. */
export const DEFAULT_TOPIC = 'default';

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
