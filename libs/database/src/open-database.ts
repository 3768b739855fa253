import { Database, type DatabaseOptions } from './database.js';
import { requireMigrations, type Migration } from './migrations.js';

/**
 * Opens the database of an app, whose schema must have the migrations of this release.
 * @throws PendingMigrationsError, ChangedMigrationError, DatabaseUnavailableError
 */
export async function openDatabase(
  options: DatabaseOptions & { readonly migrations: readonly Migration[] },
): Promise<Database> {
  const database = new Database(options);
  try {
    await requireMigrations(database, options.schema, options.migrations);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}
