import { readFileSync } from 'node:fs';
import { redisAclLine, REDIS_USERS } from './redis-users.js';

it('the users of the chart have the rights that docs/operate/databases.md shows', () => {
  const page = readFileSync(new URL('../../../../docs/operate/databases.md', import.meta.url), 'utf8');
  const documented = [...page.matchAll(/^user (\S+) on >\S+ (.+)$/gm)].map(([, user = '', rights = '']) => [
    user === 'default' ? 'administrator' : user,
    rights,
  ]);
  const lines = REDIS_USERS.map((user) => [
    user,
    redisAclLine(user, 'x').replace(/^user \S+ on #\w{64} /, ''),
  ]);
  expect(Object.fromEntries(lines)).toEqual(Object.fromEntries(documented));
});
