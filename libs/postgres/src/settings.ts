/** DATABASE_MIGRATION_URL, else DATABASE_URL, for the migration command, which has no other settings. */
export function readMigrationUrl(environment: NodeJS.ProcessEnv = process.env): string | undefined {
  return environment['DATABASE_MIGRATION_URL'] || environment['DATABASE_URL'] || undefined;
}
