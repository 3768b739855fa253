import { migrateCommand } from '@ssb/database';
import { migrations, SCHEMA } from './records/migrations.js';
import { migrationDatabaseUrl } from './settings.js';

await migrateCommand(SCHEMA, migrations, migrationDatabaseUrl());
