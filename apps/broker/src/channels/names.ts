import { methodOf, type Did } from '@ssb/identity';

/** Fully qualified channel name, `{channel}.channels.{app}.apps.{organisation}.iam.{root}`; compared exactly. */
export type Fqcn = string & { readonly __brand: 'Fqcn' };

const LABELS = '[A-Za-z0-9_-]+(?:\\.[A-Za-z0-9_-]+)*';
const CHANNEL = new RegExp(`^${LABELS}\\.channels\\.${LABELS}\\.apps\\.${LABELS}\\.iam\\.${LABELS}$`);
const ROLE = new RegExp(`^${LABELS}\\.roles\\.${LABELS}\\.apps\\.${LABELS}\\.iam\\.${LABELS}$`);
const TOPIC = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;
const MAX_LENGTH = 255;

export function isFqcn(text: string): text is Fqcn {
  return text.length <= MAX_LENGTH && CHANNEL.test(text);
}

/** `{role}.roles.{app}.apps.{organisation}.iam.{root}` */
export function isRoleName(text: string): boolean {
  return text.length <= MAX_LENGTH && ROLE.test(text);
}

export function isTopicName(text: string): boolean {
  return text.length <= MAX_LENGTH && TOPIC.test(text);
}

/** The topic of a message without a topic. */
export const DEFAULT_TOPIC = 'default';

/**
 * A bus has one DID method, and DIDs of other methods are refused.
 * Permissions and offsets are stored by address, which different identities of two methods can share.
 */
export function hasDidMethod(did: Did, method: string): boolean {
  return methodOf(did) === method;
}

/** The members of a channel that are DIDs of other methods. Role names are ignored. */
export function findDidsOfOtherMethods(members: readonly string[], method: string): readonly string[] {
  return members.filter((each) => each.startsWith('did:') && !hasDidMethod(each as Did, method));
}
