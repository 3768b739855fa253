import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { openDatabase } from '../open-database.js';

it('has a folder open in one place at a time, and free again after closing or a failed migration', async () => {
  const home = await mkdtemp(join(tmpdir(), 'database-'));
  const folder = join(home, 'db');
  try {
    const db = await openDatabase(folder, []);
    await expect(openDatabase(folder, [])).rejects.toThrow('in use by another process');
    await db.close();
    await expect(openDatabase(folder, [{ id: '001-wrong', sql: 'no statement' }])).rejects.toThrow(
      'syntax error',
    );
    await (await openDatabase(folder, [])).close();
  } finally {
    await rm(home, { recursive: true });
  }
});
