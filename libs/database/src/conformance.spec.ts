import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Database } from './database.js';
import type { Migration } from './migrate.js';
import { openDatabase } from './open-database.js';
import { ENGINES, type Engine } from './testing/engines.js';

const first: Migration = {
  id: '001-fact',
  sql: 'CREATE TABLE fact (id text PRIMARY KEY);\nCREATE INDEX fact_id ON fact (id);',
};
const second: Migration = { id: '002-note', sql: 'ALTER TABLE fact ADD COLUMN note text' };

/** What every implementation of `Database` promises; opening an embedded one takes seconds on a busy machine. */
describe.each(ENGINES)('on %s', (_name, startEngine) => {
  let engine: Engine;
  let open: Database[];
  let place: { address: string; schema: string };
  let db: Database;

  const database = async (...migrations: Migration[]): Promise<Database> => {
    const opened = await openDatabase(place.address, migrations, { schema: place.schema });
    open.push(opened);
    return opened;
  };

  beforeAll(async () => {
    engine = await startEngine();
  });
  beforeEach(async () => {
    open = [];
    place = engine.newPlace();
    db = await database(first);
  });
  afterEach(async () => {
    for (const each of open) await each.close();
  });
  afterAll(() => engine.stop());

  it('keeps what was written, and runs each migration once', async () => {
    await db.query('INSERT INTO fact (id) VALUES ($1)', ['a']);
    await db.close();
    const after = await database(first, second);
    expect(await after.query('SELECT id, note FROM fact')).toEqual([{ id: 'a', note: null }]);
  });

  it('rolls a transaction back as a whole when its work throws', async () => {
    const work = db.transaction(async (session) => {
      await session.query('INSERT INTO fact (id) VALUES ($1)', ['a']);
      throw new Error('changed my mind');
    });
    await expect(work).rejects.toThrow('changed my mind');
    expect(await db.query('SELECT * FROM fact')).toEqual([]);
  });

  it('leaves no trace of a migration that fails', async () => {
    await db.close();
    const wrong = { id: '002-wrong', sql: 'CREATE TABLE a (x int);\nCREATE TABLE fact (x int)' };
    await expect(database(first, wrong)).rejects.toThrow('already exists');
    const again = await database(first);
    expect(await again.query(`SELECT to_regclass('a') AS a`)).toEqual([{ a: null }]);
  });

  it('passes the SQLSTATE of a failure on, and goes on afterwards', async () => {
    await db.query('INSERT INTO fact (id) VALUES ($1)', ['a']);
    const again = db.query('INSERT INTO fact (id) VALUES ($1)', ['a']);
    await expect(again).rejects.toMatchObject({ code: '23505' });
    expect(await db.query('SELECT id FROM fact')).toEqual([{ id: 'a' }]);
  });

  it('gives every value back as it was given', async () => {
    const sql = `SELECT $1::numeric AS amount, $2::text AS words, $3::date AS day, $4::timestamp AS local, $5::timestamptz AS moment,
      $6::bigint AS big, $7::bigint AS small, $8::text[] AS list, $9::boolean AS yes, $10::integer AS nothing`;
    const moment = new Date('2026-03-01T02:03:04.567Z');
    const words = 'Ωmega "quoted" \\ {,} 😀\n';
    const list = [words, 'NULL', '', null];
    const values = ['123456789012345.12345678', words, '0001-02-28', '2026-03-01T10:00:00', moment];
    const [row] = await db.query(sql, [...values, 9_007_199_254_740_993n, 7, list, true, null]);
    expect(row).toEqual({
      amount: '123456789012345.12345678',
      words,
      day: '0001-02-28',
      local: '2026-03-01 10:00:00',
      moment,
      big: 9_007_199_254_740_993n,
      small: 7,
      list,
      yes: true,
      nothing: null,
    });
  });

  it('keeps bytes, whatever they are', async () => {
    const bytes = Uint8Array.from({ length: 512 }, (_, index) => index % 256);
    const [row] = await db.query<{ bytes: Uint8Array }>('SELECT $1::bytea AS bytes', [bytes]);
    expect(Buffer.from(row?.bytes ?? []).equals(Buffer.from(bytes))).toBe(true);
  });

  it('tells a listener what was committed, in order, and nothing that was rolled back', async () => {
    const heard: string[] = [];
    let done: () => void;
    const last = new Promise<void>((resolve) => (done = resolve));
    await db.listen('news', {
      heard: (payload) => {
        heard.push(payload);
        if (payload === 'last') done();
      },
      lost: () => heard.push('lost'),
      regained: () => heard.push('regained'),
    });
    const undone = db.transaction(async (session) => {
      await session.notify('news', 'undone');
      throw new Error('no');
    });
    await expect(undone).rejects.toThrow('no');
    await db.transaction((session) => session.notify('news', 'first'));
    await db.notify('news', 'last');
    await last;
    expect(heard).toEqual(['first', 'last']);
  });

  it('tells no more to whoever stopped listening', async () => {
    const heard: string[] = [];
    const listener = { lost: () => undefined, regained: () => undefined };
    const stop = await db.listen('news', { ...listener, heard: (payload) => heard.push(`a ${payload}`) });
    await stop();
    await stop();
    await new Promise<void>((resolve, reject) => {
      const last = { ...listener, heard: () => resolve() };
      db.listen('news', last)
        .then(() => db.notify('news', 'x'))
        .catch(reject);
    });
    expect(heard).toEqual([]);
  });

  it('takes no name that would need quotes', async () => {
    await expect(db.notify('a; DROP TABLE fact', 'x')).rejects.toThrow('is no channel');
  });

  it('closes as often as it is asked to', async () => {
    await db.close();
    await db.close();
    await expect(db.query('SELECT 1')).rejects.toThrow();
  });
});
