export { openDatabase, type DatabaseNotice, type OpenOptions } from './open-database.js';
export type { Database, Listener, SqlSession, SqlValue, StopListening } from './database.js';
export { DatabaseUnavailableError, InvalidDatabaseNameError } from './errors.js';
export type { Migration } from './migrate.js';
export { Together } from './together.js';
export { claimFolder, FolderInUseError, type Release } from './embedded/sole-use.js';
export { startTestPostgres, TestPostgresError, type TestPostgres } from './testing/test-postgres.js';
