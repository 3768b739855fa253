/** Scopes of document 001: `<ENTITY>|<PARTICIPANT_ID>|<PERMISSIONS>`. */
const PERMISSIONS = ['C', 'R', 'U', 'D'] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** A right of an account: one entity, one participant identifier, one to four permissions in the order CRUD. */
export interface Scope {
  readonly entity: string;
  readonly participantId: string;
  readonly permissions: readonly Permission[];
}

/** One item of the `scope` parameter: a whole entity, or an entity with some permissions. */
export interface ScopeRequest {
  readonly entity: string;
  readonly participantId?: string;
  readonly permissions?: readonly Permission[];
}

export type ScopeVerdict =
  | { readonly ok: true; readonly scopes: readonly Scope[] }
  | { readonly ok: false; readonly reason: 'malformed' | 'none-held' };

/** An entity or a participant identifier. */
const NAME = /^[A-Za-z0-9_.:-]{1,60}$/;

/** Parses the full form; `undefined` for anything else. */
export function parseScope(text: string): Scope | undefined {
  const [entity = '', participantId = '', letters = '', ...more] = text.split('|');
  const permissions = parsePermissions(letters);
  if (more.length > 0 || permissions === undefined || !NAME.test(entity) || !NAME.test(participantId))
    return undefined;
  return { entity, participantId, permissions };
}

export function formatScope({ entity, participantId, permissions }: Scope): string {
  return `${entity}|${participantId}|${permissions.join('')}`;
}

/** Scopes separated by single spaces, as in a token and its response. */
export function formatScopes(scopes: readonly Scope[]): string {
  return scopes.map(formatScope).join(' ');
}

/**
 * Parses what `formatScopes` wrote.
 * @throws ScopeError with the first item that is not a scope
 */
export function parseScopes(text: string): Scope[] {
  const items = text.split(' ').filter((item) => item !== '');
  return items.map((item) => {
    const scope = parseScope(item);
    if (scope === undefined) throw new ScopeError(item);
    return scope;
  });
}

/** One scope per entity and participant identifier, with all permissions given for them (document 001, Scopes 1). */
export function mergeScopes(scopes: readonly Scope[]): Scope[] {
  const merged = new Map<string, Scope>();
  for (const scope of scopes) {
    const key = `${scope.entity}|${scope.participantId}`;
    const letters = [...(merged.get(key)?.permissions ?? []), ...scope.permissions];
    merged.set(key, { ...scope, permissions: PERMISSIONS.filter((letter) => letters.includes(letter)) });
  }
  return [...merged.values()];
}

/** The text is not a full scope. */
export class ScopeError extends Error {
  override readonly name = 'ScopeError';

  constructor(readonly text: string) {
    super(`not <ENTITY>|<PARTICIPANT_ID>|<PERMISSIONS>: ${text}`);
  }
}

/**
 * The scopes of a token (document 001, Scopes 4 to 8): all held scopes for an empty request. Otherwise the held permissions that are
 * requested for an entity, under all its participant identifiers.
 */
export function grantScopes(held: readonly Scope[], requested: string | undefined): ScopeVerdict {
  const items = (requested ?? '').split(' ').filter((item) => item !== '');
  if (items.length === 0) return toVerdict(held);
  const parsed = items.map(parseRequest);
  const requests = parsed.filter((request) => request !== undefined);
  if (requests.length < parsed.length) return { ok: false, reason: 'malformed' };
  return toVerdict(
    held.map((scope) => {
      const matching = requests.filter((request) => matchesEntity(request, scope.entity, held));
      return {
        ...scope,
        permissions: scope.permissions.filter((letter) =>
          matching.some((request) => includesPermission(request, letter)),
        ),
      };
    }),
  );
}

function toVerdict(scopes: readonly Scope[]): ScopeVerdict {
  const granted = scopes.filter(({ permissions }) => permissions.length > 0);
  return granted.length === 0 ? { ok: false, reason: 'none-held' } : { ok: true, scopes: granted };
}

/** A request with a participant identifier matches only if the account holds it, and then for all identifiers (Scopes 7). */
function matchesEntity(request: ScopeRequest, entity: string, held: readonly Scope[]): boolean {
  if (request.entity !== entity) return false;
  if (request.participantId === undefined) return true;
  return held.some((scope) => scope.entity === entity && scope.participantId === request.participantId);
}

function includesPermission({ permissions }: ScopeRequest, letter: Permission): boolean {
  return permissions === undefined || permissions.includes(letter);
}

function parseRequest(text: string): ScopeRequest | undefined {
  return text.includes('|') ? parseScope(text) : NAME.test(text) ? { entity: text } : undefined;
}

function parsePermissions(letters: string): Permission[] | undefined {
  const given = new Set(letters);
  const known = PERMISSIONS.filter((letter) => given.has(letter));
  return known.length > 0 && known.length === letters.length ? known : undefined;
}
