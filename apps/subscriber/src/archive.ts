import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { openDatabase } from '@ssb/database';
import { whenOutputCloses } from '@ssb/platform';
import { writeListing } from './listing/write-listing.js';
import { migrations } from './storage/migrations.js';
import { SqlArchive } from './storage/sql-archive.js';

const USAGE = `Lists what a stopped subscriber has archived, or quarantined.

  node apps/subscriber/dist/archive.js --folder <DATABASE_FOLDER> [--quarantine] [--json]

  --folder      the subscriber's DATABASE_FOLDER; the subscriber must be stopped
  --quarantine  the messages that were not believed, instead of the archived events
  --json        a JSON array with every field, instead of a table
`;

/** @returns the exit status: 0, or 2 for a wrong call */
async function run(args: string[]): Promise<number> {
  const { folder, quarantine, json, help } = read(args);
  if (help || folder === undefined) {
    process[help ? 'stdout' : 'stderr'].write(USAGE);
    return help ? 0 : 2;
  }
  if (!existsSync(folder)) {
    process.stderr.write(`There is no folder ${folder}.\n`);
    return 2;
  }
  const database = await openDatabase(folder, migrations);
  try {
    const archive = new SqlArchive(database);
    await writeListing(archive, { quarantine, json }, (text) => process.stdout.write(text));
    return 0;
  } finally {
    await database.close();
  }
}

function read(args: string[]): { folder?: string; quarantine: boolean; json: boolean; help: boolean } {
  const { values } = parseArgs({
    args,
    options: {
      folder: { type: 'string' },
      quarantine: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  return values;
}

whenOutputCloses();
try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
