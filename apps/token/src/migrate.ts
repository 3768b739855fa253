import { migrateCommand } from '@ssb/database';
import { migrations, SCHEMA } from './database/migrations.js';
import { migrationDatabaseUrl } from './settings.js';

await migrateCommand(SCHEMA, migrations, migrationDatabaseUrl());
