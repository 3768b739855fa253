import { migrateCommand } from '@ssb/postgres';
import { prepareCommand, standardError, standardOutput } from '@ssb/platform';
import { FURTHER_ROLES, migrations, SCHEMA } from '@ssb/postgres/archive-schema';

prepareCommand();
await migrateCommand(SCHEMA, migrations, {
  output: standardOutput,
  errors: standardError,
  furtherRoles: FURTHER_ROLES,
});
