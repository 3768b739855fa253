/** DATABASE_MIGRATION_URL, else DATABASE_URL, for the migration command, which has no other settings. */
export function readMigrationUrl(): string | undefined {
  return process.env['DATABASE_MIGRATION_URL'] || process.env['DATABASE_URL'] || undefined;
}
