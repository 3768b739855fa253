/** What a user of the gateway may do: set its identity and enrol it, or use it for messages. */
export const RIGHTS = ['config', 'messages'] as const;
export type Right = (typeof RIGHTS)[number];

/**
 * The right that an address asks for; undefined where document 002 ("Authentication") declares none. Everything under `/api/v1` but
 * its schema files wants one, also what is added there later; whatever is not configuration is use.
 */
export function rightFor(path: string): Right | undefined {
  if (!path.startsWith('/api/v1/') || path.startsWith('/api/v1/docs/')) return undefined;
  return path.startsWith('/api/v1/config/') ? 'config' : 'messages';
}
