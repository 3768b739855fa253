import { openDatabase } from '@ssb/database';
import { migrations } from './migrations.js';
import { SqlArchive } from './sql-archive.js';
import { SqlOutbox } from './sql-outbox.js';
import { storageConformance } from './storage-conformance.js';

storageConformance('embedded PostgreSQL', async () => {
  const database = await openDatabase('memory://', migrations);
  return {
    archive: new SqlArchive(database),
    outbox: new SqlOutbox(database),
    clear: async () => {
      await database.query('TRUNCATE alert_outbox, archive, inbox, quarantine');
    },
    close: () => database.close(),
  };
});
