import { openDatabase, type Database } from '@ssb/database';
import { migrations } from './migrations.js';
import { claimFolder } from './sole-use.js';

/**
 * Opens the subscriber's database, made when missing. Closing it gives the folder back.
 * @throws FolderInUseError when another process has it open
 */
export async function openStorage(folder: string): Promise<Database> {
  const release = await claimFolder(folder);
  try {
    const database = await openDatabase(folder, migrations);
    return {
      query: (sql, parameters) => database.query(sql, parameters),
      transaction: (work) => database.transaction(work),
      close: () => database.close().finally(release),
    };
  } catch (error) {
    await release();
    throw error;
  }
}
