import { migrateCommand } from '@ssb/database';
import { databaseUrl } from './settings.js';
import { migrations, SCHEMA } from './storage/migrations.js';

await migrateCommand(SCHEMA, migrations, databaseUrl());
