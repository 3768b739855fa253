import { migrateCommand } from '@ssb/database';
import { migrations, SCHEMA } from './storage/database-options.js';

await migrateCommand(SCHEMA, migrations);
