export { openDatabase, type Database, type SqlSession, type SqlValue } from './database.js';
export type { Migration } from './migrate.js';
export { claimFolder, FolderInUseError, type Release } from './sole-use.js';
