import { migrateCommand } from '@ssb/database';
import { migrations, SCHEMA } from './database/migrations.js';
import { readDatabaseUrl } from './settings.js';

await migrateCommand(SCHEMA, migrations, readDatabaseUrl());
