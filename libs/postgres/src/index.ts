export { Database, type DatabaseOptions, type SqlSession, type SqlValue } from './database.js';
export { readDatabaseClock } from './database-clock.js';
export type { StopListening } from './notification-listener.js';
export {
  ChangedMigrationError,
  DatabaseUnavailableError,
  MissingSchemaError,
  PendingMigrationsError,
} from './errors.js';
export { openDatabase, readMigrations, type Migration } from './migrations.js';
export { createDatabase, createSchema, withRole } from './schema.js';
export { migrateCommand } from './migrate-command.js';
export {
  MIGRATION_TIMEOUT_RULE,
  parseMigrationTimeout,
  renderSetupSql,
  runMigrations,
} from './run-migrations.js';
export { BatchLoader } from './batch-loader.js';
export { Conditions } from './conditions.js';
