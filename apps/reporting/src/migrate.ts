import { migrateCommand } from '@ssb/database';
import { migrations, SCHEMA } from './records/migrations.js';

await migrateCommand(SCHEMA, migrations);
