/**
 * Whether a path falls under a pattern: segment by segment, where `*` is any one segment and a `**` at the end any number of them,
 * none included.
 */
export function matchesPath(pattern: string, path: string): boolean {
  const wanted = pattern.split('/');
  const given = path.split('/');
  const open = wanted.at(-1) === '**';
  if (open) wanted.pop();
  if (open ? given.length < wanted.length : given.length !== wanted.length) return false;
  return wanted.every((segment, index) => segment === '*' || segment === given[index]);
}
