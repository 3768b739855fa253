import { migrateCommand } from '@ssb/database';
import { databaseUrl } from './settings.js';
import { migrations, SCHEMA } from './storage/database-options.js';

await migrateCommand(SCHEMA, migrations, databaseUrl());
