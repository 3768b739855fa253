/** Scopes of document 001: `<ENTITY>|<PARTICIPANT_ID>|<PERMISSIONS>`. */
const PERMISSIONS = ['C', 'R', 'U', 'D'] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** A right of an account: one entity, one participant identifier, one to four permissions in the order CRUD. */
export interface Scope {
  readonly entity: string;
  readonly participantId: string;
  readonly permissions: readonly Permission[];
}

/** What one item of the `scope` parameter asks for: a whole entity, or an entity with some permissions. */
export interface ScopeRequest {
  readonly entity: string;
  readonly participantId?: string;
  readonly permissions?: readonly Permission[];
}

export type ScopeVerdict =
  | { readonly ok: true; readonly scopes: readonly Scope[] }
  | { readonly ok: false; readonly reason: 'malformed' | 'none-held' };

const PART = /^[A-Za-z0-9_.:-]{1,60}$/;

/** Reads the full form; `undefined` for anything else. */
export function parseScope(text: string): Scope | undefined {
  const [entity = '', participantId = '', letters = '', ...more] = text.split('|');
  const permissions = parsePermissions(letters);
  if (more.length > 0 || permissions === undefined || !PART.test(entity) || !PART.test(participantId))
    return undefined;
  return { entity, participantId, permissions };
}

export function formatScope({ entity, participantId, permissions }: Scope): string {
  return `${entity}|${participantId}|${permissions.join('')}`;
}

/** Scopes as one text, separated by single spaces: the form of `scope` in a token and its answer. */
export function formatScopes(scopes: readonly Scope[]): string {
  return scopes.map(formatScope).join(' ');
}

/**
 * Reads what `formatScopes` wrote.
 * @throws ScopeError naming the first part that is no scope
 */
export function parseScopes(text: string): Scope[] {
  const parts = text.split(' ').filter((part) => part !== '');
  return parts.map((part) => {
    const scope = parseScope(part);
    if (scope === undefined) throw new ScopeError(part);
    return scope;
  });
}

/** One scope for each entity and participant identifier (document 001, Scopes 1), with the permissions of all that name them. */
export function mergeScopes(scopes: readonly Scope[]): Scope[] {
  const merged = new Map<string, Scope>();
  for (const scope of scopes) {
    const name = `${scope.entity}|${scope.participantId}`;
    const before = merged.get(name)?.permissions ?? [];
    const all = [...before, ...scope.permissions];
    merged.set(name, { ...scope, permissions: PERMISSIONS.filter((letter) => all.includes(letter)) });
  }
  return [...merged.values()];
}

/** A text that should be a full scope is none. */
export class ScopeError extends Error {
  override readonly name = 'ScopeError';

  constructor(readonly text: string) {
    super(`not <ENTITY>|<PARTICIPANT_ID>|<PERMISSIONS>: ${text}`);
  }
}

/**
 * The scopes of a token (document 001, Scopes 4 to 8). Without a request, or with a blank one, everything held. Otherwise what is
 * held of each entity asked for, under every participant identifier (a token cannot be had for one of them
 * alone), with those of the permissions asked for that are held. What is not held is left out without a word.
 */
export function grantScopes(held: readonly Scope[], requested: string | undefined): ScopeVerdict {
  const items = (requested ?? '').split(' ').filter((item) => item !== '');
  if (items.length === 0) return verdictOn(held);
  const requests = items.map(parseRequest);
  const wellFormed = requests.filter((request) => request !== undefined);
  if (wellFormed.length < requests.length) return { ok: false, reason: 'malformed' };
  return verdictOn(
    held.map((scope) => {
      const matching = wellFormed.filter((request) => asksFor(request, scope.entity, held));
      return {
        ...scope,
        permissions: scope.permissions.filter((letter) => matching.some((r) => includes(r, letter))),
      };
    }),
  );
}

function verdictOn(scopes: readonly Scope[]): ScopeVerdict {
  const granted = scopes.filter(({ permissions }) => permissions.length > 0);
  return granted.length === 0 ? { ok: false, reason: 'none-held' } : { ok: true, scopes: granted };
}

/** A request that names a participant identifier counts only if that one is held; it then stands for all of them. */
function asksFor(request: ScopeRequest, entity: string, held: readonly Scope[]): boolean {
  if (request.entity !== entity) return false;
  if (request.participantId === undefined) return true;
  return held.some((scope) => scope.entity === entity && scope.participantId === request.participantId);
}

function includes({ permissions }: ScopeRequest, letter: Permission): boolean {
  return permissions === undefined || permissions.includes(letter);
}

function parseRequest(text: string): ScopeRequest | undefined {
  return text.includes('|') ? parseScope(text) : PART.test(text) ? { entity: text } : undefined;
}

function parsePermissions(letters: string): Permission[] | undefined {
  const given = new Set(letters);
  const known = PERMISSIONS.filter((letter) => given.has(letter));
  return known.length > 0 && known.length === letters.length ? known : undefined;
}
