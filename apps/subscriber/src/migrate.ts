import { migrateCommand } from '@ssb/postgres';
import { prepareCommand, standardError, standardOutput } from '@ssb/platform';
import { FURTHER_ROLES, migrations, SCHEMA } from './database/database-options.js';

prepareCommand();
await migrateCommand(SCHEMA, migrations, {
  output: standardOutput,
  errors: standardError,
  furtherRoles: FURTHER_ROLES,
});
