import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database } from '@ssb/postgres';
import { randomCookieValue } from './session-cookie.js';
import { Sessions } from './sessions.js';

const IDENTITY = { kind: 'link', grant: { name: 'olivia', role: 'operator', participants: 'all' } } as const;
const END = new Date(Date.now() + 3_600_000);

it('ids that nobody has occupy little of the database, and delay no session', async () => {
  const lookups: ((rows: object[]) => void)[] = [];
  const database = {
    query: () => new Promise((resolve) => lookups.push(resolve)),
    transaction: (work: (session: object) => unknown) => work({ query: () => Promise.resolve([{}]) }),
  } as unknown as Database;
  const sessions = new Sessions(database);
  const id = await sessions.create(IDENTITY, END.getTime());
  const unknown = Array.from({ length: 300 }, () => sessions.find(randomCookieValue()));
  const settled = Promise.allSettled(unknown);
  await nextTurn();
  expect(lookups).toHaveLength(2);
  const own = sessions.find(id);
  expect(lookups).toHaveLength(3);
  lookups[2]?.([{ identity: IDENTITY, expires: END }]);
  expect(await own).toEqual({ identity: IDENTITY, expiresAt: END.getTime() });
  lookups.splice(2);
  while (lookups.length > 0) {
    lookups.shift()?.([]);
    await nextTurn();
  }
  const refused = (await settled).filter(({ status }) => status === 'rejected');
  expect(refused).toHaveLength(100);
});
