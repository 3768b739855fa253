import { parseArgs } from 'node:util';
import { openDatabase } from '@ssb/postgres';
import { prepareCommand, standardError, standardOutput } from '@ssb/platform';
import { writeListing } from './listing/archive-listing.js';
import { databaseUrl } from './settings.js';
import { ArchiveQueries } from './listing/archive-queries.js';
import { migrations, SCHEMA } from '@ssb/postgres/archive-schema';

const USAGE = `Lists the archived events, the quarantined messages or the deliveries that a sink did not accept. It only reads, so the subscriber may run meanwhile.

  DATABASE_URL=postgres://subscriber:…@host/database node apps/subscriber/dist/src/archive-command.js [--quarantine | --deliveries] [--json]

  --quarantine  list the messages that failed verification instead of the archived events
  --deliveries  list the deliveries that are pending, parked (refused by their sink), replaced by a newer one, skipped or withheld
  --json        write a JSON array with every field instead of a table

While npm start runs, "npm run archive" sets DATABASE_URL.
`;

/** @returns the exit status: 0, or 2 for wrong arguments */
async function run(): Promise<number> {
  const { values } = parseArgs({
    options: {
      quarantine: { type: 'boolean', default: false },
      deliveries: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const url = databaseUrl();
  if (values.help || url === undefined) {
    if (values.help) standardOutput.write(USAGE);
    else standardError.write(`DATABASE_URL is not set. Set it to the subscriber's database.\n\n${USAGE}`);
    return values.help ? 0 : 2;
  }
  const database = await openDatabase({ url, schema: SCHEMA, migrations, connections: 1, readOnly: true });
  try {
    await writeListing(new ArchiveQueries(database), values, standardOutput);
    return 0;
  } finally {
    await database.close();
  }
}

prepareCommand();
try {
  process.exitCode = await run();
} catch (error) {
  const { code } = error as NodeJS.ErrnoException;
  const isUsageError = code?.startsWith('ERR_PARSE_ARGS') ?? false;
  standardError.writeError(error);
  if (isUsageError) standardError.write(`\n${USAGE}`);
  process.exitCode = isUsageError ? 2 : 1;
}
