/** What a user of the gateway may do: configure its identity and enrolment, or use it for messages. */
export const RIGHTS = ['config', 'messages'] as const;
export type Right = (typeof RIGHTS)[number];

/**
 * The right that a path requires; undefined where document 002 ("Authentication") requires none.
 * Everything below `/api/v1` except the schema files requires one, operations added later included.
 */
export function getRequiredRight(path: string): Right | undefined {
  if (!path.startsWith('/api/v1/') || path.startsWith('/api/v1/docs/')) return undefined;
  return path.startsWith('/api/v1/config/') ? 'config' : 'messages';
}
