import { migrateCommand } from '@ssb/database';
import { migrations, SCHEMA } from './database/migrations.js';

await migrateCommand(SCHEMA, migrations);
