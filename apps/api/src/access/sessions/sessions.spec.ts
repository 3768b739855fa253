import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database } from '@ssb/postgres';
import { ConsoleKey } from './console-key.js';
import { Sessions } from './sessions.js';

const IDENTITY = { kind: 'link', grant: { name: 'olivia', role: 'operator', participants: 'all' } } as const;
const END = new Date(Date.now() + 3_600_000);
const ROW = { identity: IDENTITY, expires: END };

/** A database whose statements about sessions respond when the test says so. */
class SlowDatabase {
  readonly statements: ((rows: object[]) => void)[] = [];

  query(sql: string): Promise<object[]> {
    if (sql.includes('console_key')) return Promise.resolve([{ key: Buffer.alloc(32, 1) }]);
    return new Promise((resolve) => this.statements.push(resolve));
  }

  transaction(work: (session: object) => unknown): unknown {
    return work({ query: () => Promise.resolve([{}]) });
  }

  /** Responds to every statement, also to those that follow. */
  async respond(rows: object[]): Promise<void> {
    while (this.statements.length > 0) {
      this.statements.shift()?.(rows);
      await settle();
    }
  }
}

let slow: SlowDatabase;
let key: ConsoleKey;
let sessions: Sessions;
beforeEach(() => {
  slow = new SlowDatabase();
  const database = slow as unknown as Database;
  key = new ConsoleKey(database);
  sessions = new Sessions(database, key);
});

/** Until every request waits for the database, or for others. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await nextTurn();
}
/** Ids of sessions that ended long ago, or that other replicas have issued. */
const issue = (count: number): Promise<string[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => key.sign('session', String(index))));

it('an invented id costs no statement', async () => {
  const [id = ''] = await issue(1);
  for (const each of ['', 'a', 'a.b', '.', `${id}a`, id.slice(0, -1), await key.sign('sign-in', 'a')])
    expect([each, await sessions.find(each), await sessions.end(each)]).toEqual([each, undefined, undefined]);
  expect(slow.statements).toHaveLength(0);
});

it('sessions that this replica has not seen occupy little of the database, and delay no other', async () => {
  const id = await sessions.create(IDENTITY, END.getTime());
  const unknown = Promise.allSettled((await issue(300)).map((each) => sessions.find(each)));
  await settle();
  expect(slow.statements).toHaveLength(2);
  const own = sessions.find(id);
  await settle();
  expect(slow.statements).toHaveLength(3);
  slow.statements.pop()?.([ROW]);
  expect(await own).toEqual({ identity: IDENTITY, expiresAt: END.getTime() });
  await slow.respond([]);
  const refused = (await unknown).filter(({ status }) => status === 'rejected');
  expect(refused).toHaveLength(100);
});

it('concurrent requests with one session share a statement, which none that comes after the end does', async () => {
  const id = await sessions.create(IDENTITY, END.getTime());
  const before = [sessions.find(id), sessions.find(id)];
  await settle();
  expect(slow.statements).toHaveLength(1);
  const end = sessions.end(id);
  await settle();
  slow.statements.pop()?.([ROW]);
  expect(await end).toEqual({ identity: IDENTITY, expiresAt: END.getTime() });
  expect([await sessions.find(id), sessions.knownPersonOf(id)]).toEqual([undefined, undefined]);
  await slow.respond([ROW]);
  expect(await Promise.all(before)).toHaveLength(2);
});

it('a session that has ended elsewhere is looked up once more', async () => {
  const id = await sessions.create(IDENTITY, END.getTime());
  const ended = sessions.find(id);
  await settle();
  await slow.respond([]);
  expect([await ended, sessions.knownPersonOf(id)]).toEqual([undefined, undefined]);
  expect(await sessions.find(id)).toBeUndefined();
  expect(slow.statements).toHaveLength(0);
});

it('people sign in one after the other, and a bounded number waits', async () => {
  slow.transaction = () => slow.query('');
  const settled = Promise.allSettled(
    Array.from({ length: 150 }, () => sessions.create(IDENTITY, END.getTime())),
  );
  await settle();
  expect(slow.statements).toHaveLength(1);
  await slow.respond([]);
  expect((await settled).filter(({ status }) => status === 'rejected')).toHaveLength(49);
});
