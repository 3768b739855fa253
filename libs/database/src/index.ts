export {
  Database,
  type DatabaseNotice,
  type DatabaseOptions,
  type SqlSession,
  type SqlValue,
} from './database.js';
export type { Listener, StopListening } from './notification-listener.js';
export { DatabaseUnavailableError, InvalidDatabaseNameError, TransactionAbortedError } from './errors.js';
export {
  applyMigrations,
  ChangedMigrationError,
  PendingMigrationsError,
  readMigrations,
  requireMigrations,
  type Migration,
} from './migrations.js';
export { openDatabase } from './open-database.js';
export { createDatabase, createSchema, RoleInUseError, type SchemaOptions } from './schema.js';
export { migrateCommand } from './migrate-command.js';
export { BatchLoader } from './batch-loader.js';
