// Names that a command line shows in its help, without what reads the files.

/** The secrets of a bridge that are rotated. */
export const KEY_NAMES = [
  'integrity',
  'transaction-ids',
  'origin',
  'gateway-publisher',
  'gateway-subscriber',
] as const;
export type KeyName = (typeof KEY_NAMES)[number];

/** What a caller of the archive API may do. An operator may also add requests. */
export const ACCESS_ROLES = ['viewer', 'operator'] as const;
export type AccessRole = (typeof ACCESS_ROLES)[number];
