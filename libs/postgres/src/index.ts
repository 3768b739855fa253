export { Database, type DatabaseOptions, type SqlSession, type SqlValue } from './database.js';
export { readDatabaseClock } from './database-clock.js';
export type { ConnectionEvent } from './connection.js';
export type { NotificationHandler, StopListening } from './notification-listener.js';
export {
  ChangedMigrationError,
  DatabaseEncodingError,
  DatabaseRefusedError,
  DatabaseUnavailableError,
  InvalidDatabaseNameError,
  PendingMigrationsError,
  TransactionAbortedError,
} from './errors.js';
export {
  applyMigrations,
  openDatabase,
  readMigrations,
  assertMigrations,
  type Migration,
} from './migrations.js';
export { createDatabase, createSchema, RoleInUseError, type SchemaOptions } from './schema.js';
export { migrateCommand, type CommandOutputs } from './migrate-command.js';
export { BatchLoader } from './batch-loader.js';
