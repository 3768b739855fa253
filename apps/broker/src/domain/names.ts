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
