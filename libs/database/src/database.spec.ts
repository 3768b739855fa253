import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Database } from './database.js';
import { openDatabase } from './open-database.js';

const first = {
  id: '001-fact',
  sql: 'CREATE TABLE fact (id text PRIMARY KEY);\nCREATE INDEX fact_id ON fact (id);',
};
const second = { id: '002-note', sql: 'ALTER TABLE fact ADD COLUMN note text' };

let folder: string;
let open: Database[];

async function database(...migrations: { id: string; sql: string }[]): Promise<Database> {
  const opened = await openDatabase(join(folder, 'db'), migrations);
  open.push(opened);
  return opened;
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'database-'));
  open = [];
});

afterEach(async () => {
  for (const each of open) await each.close();
  await rm(folder, { recursive: true });
});

/** A new database takes a second or more to be made, and far longer on a busy machine. */
const OPENING_MS = 60_000;

describe('the embedded database', () => {
  it(
    'keeps what was written, and runs each migration once',
    async () => {
      const before = await database(first);
      await before.query('INSERT INTO fact (id) VALUES ($1)', ['a']);
      await before.close();
      const after = await database(first, second);
      expect(await after.query('SELECT id, note FROM fact')).toEqual([{ id: 'a', note: null }]);
    },
    OPENING_MS,
  );

  it(
    'rolls a transaction back as a whole when its work throws',
    async () => {
      const db = await database(first);
      const work = db.transaction(async (session) => {
        await session.query('INSERT INTO fact (id) VALUES ($1)', ['a']);
        throw new Error('changed my mind');
      });
      await expect(work).rejects.toThrow('changed my mind');
      expect(await db.query('SELECT * FROM fact')).toEqual([]);
    },
    OPENING_MS,
  );

  it(
    'leaves no trace of a migration that fails',
    async () => {
      await expect(
        database(first, { id: '002-wrong', sql: 'CREATE TABLE a (x int);\nCREATE TABLE fact (x int)' }),
      ).rejects.toThrow('already exists');
      const db = await database(first);
      expect(await db.query(`SELECT to_regclass('a') AS a`)).toEqual([{ a: null }]);
    },
    OPENING_MS,
  );

  it(
    'is open in one place at a time, and free again after closing or a failed migration',
    async () => {
      const db = await database(first);
      await expect(database(first)).rejects.toThrow('in use by another process');
      await db.close();
      await db.close();
      await expect(database(first, { id: '002-wrong', sql: 'no statement' })).rejects.toThrow('syntax error');
      await database(first);
    },
    OPENING_MS,
  );

  it(
    'passes the SQLSTATE of a failure on',
    async () => {
      const db = await database(first);
      await db.query('INSERT INTO fact (id) VALUES ($1)', ['a']);
      await expect(db.query('INSERT INTO fact (id) VALUES ($1)', ['a'])).rejects.toMatchObject({
        code: '23505',
      });
    },
    OPENING_MS,
  );
});
