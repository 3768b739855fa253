import { renderTable } from '@ssb/platform';
import type { ListedClaim } from '../domain/role-state.js';

const HEAD = ['did', 'role', 'state', 'since', 'decided by', 'in document'];

/** Claims as a table for people, by role, then by what happened last. Pure. */
export function rolesTable(claims: readonly ListedClaim[]): string {
  if (claims.length === 0) return 'There are no such claims.';
  const rows = inOrder(claims).map(({ did, role, state, since, decidedBy, inDocument }) => [
    did,
    role,
    state,
    since.replace(/\.\d+Z$/, 'Z'),
    decidedBy ?? '-',
    inDocument ? 'yes' : 'no',
  ]);
  return renderTable(HEAD, rows);
}

function inOrder(claims: readonly ListedClaim[]): ListedClaim[] {
  const key = ({ role, since }: ListedClaim): [string, string] => [role, since];
  return [...claims].sort((a, b) => {
    const [roleA, sinceA] = key(a);
    const [roleB, sinceB] = key(b);
    if (roleA !== roleB) return roleA < roleB ? -1 : 1;
    return sinceA === sinceB ? 0 : sinceA > sinceB ? -1 : 1;
  });
}
