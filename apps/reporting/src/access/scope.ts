/** Permissions of a scope: create, read, update, delete (document 001, Scopes 2). */
export type Permission = 'C' | 'R' | 'U' | 'D';

/** One entity of the rights system, for one participant (document 001, Scopes 1). */
export interface Scope {
  entity: string;
  participant: string;
  permissions: ReadonlySet<Permission>;
}

const FORM = /^([^|\s]+)\|([^|\s]+)\|([CRUD]+)$/;

/**
 * Parses the space-separated `scope` of a token.
 * A part that is not `<ENTITY>|<PARTICIPANT_ID>|<PERMISSIONS>` is skipped: it may belong to another interface.
 */
export function parseScopes(text: string): Scope[] {
  return text.split(' ').flatMap((part) => {
    const [, entity, participant, letters] = FORM.exec(part) ?? [];
    if (entity === undefined || participant === undefined || letters === undefined) return [];
    return [{ entity, participant, permissions: new Set(letters) as Set<Permission> }];
  });
}

/** Whether a scope gives the permission on the entity for exactly this participant. */
export function hasPermission(
  scopes: readonly Scope[],
  entity: string,
  participant: string,
  permission: Permission,
): boolean {
  return scopes.some(
    (scope) =>
      scope.entity === entity && scope.participant === participant && scope.permissions.has(permission),
  );
}
