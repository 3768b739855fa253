import { setTimeout as pause } from 'node:timers/promises';
import { standardError } from '@ssb/platform';
import type { Database } from '@ssb/postgres';
import { Command } from 'commander';
import { print } from '../print.js';
import { parseSeconds } from '../requests/options.js';
import { RequestError, withSubscriberDatabase } from '../requests/subscriber-database.js';

/** Database channel on which the subscriber listens for requests. */
const RECHECK_CHANNEL = 'quarantine_recheck';

const POLL_INTERVAL_MS = 200;
/** Longer than a running subscriber needs to take the lease. */
const MAX_WAIT_FOR_READER_MS = 3_000;

/** `busbridge quarantine recheck`. */
export function quarantineCommand(): Command {
  const command = new Command('quarantine').description('Works with messages that failed verification.');
  command
    .command('recheck')
    .description(
      'lets the running subscriber evaluate the quarantined messages again; those that pass are archived and alerted',
    )
    .option('--wait <seconds>', 'how long to wait for the result', parseSeconds, 60)
    .option('--json', 'print the result as JSON', false)
    .addHelpText(
      'after',
      "\nDATABASE_URL names the subscriber's database, with its run role. While npm start runs, the command finds it in .data.",
    )
    .action(({ wait, json }: { wait: number; json: boolean }) =>
      withSubscriberDatabase('subscriber', async (database) =>
        print(await recheck(database, wait * 1_000), json, describeResult),
      ),
    );
  return command;
}

interface RecheckResult {
  readonly evaluated: number;
  readonly released: number;
  readonly stillQuarantined: number;
}

async function recheck(database: Database, waitMs: number): Promise<RecheckResult> {
  const id = await addRequest(database);
  const { evaluated, released } = await waitForResult(database, id, waitMs);
  const [row] = await database.query<{ open: number }>(
    'SELECT count(*) AS open FROM quarantine WHERE released_at IS NULL',
  );
  return { evaluated, released, stillQuarantined: row?.open ?? 0 };
}

async function addRequest(database: Database): Promise<number> {
  return database.transaction(async (session) => {
    const [row] = await session.query<{ id: number }>(
      'INSERT INTO quarantine_recheck DEFAULT VALUES RETURNING id',
    );
    await session.notify(RECHECK_CHANNEL, '');
    return row?.id ?? NaN;
  });
}

interface RequestRow {
  readonly finished: boolean;
  readonly evaluated: number;
  readonly released: number;
  readonly failure: string | null;
  readonly has_reader: boolean;
}

async function waitForResult(database: Database, id: number, waitMs: number): Promise<RequestRow> {
  const startedAt = Date.now();
  let readerSeenAt = startedAt;
  let shown = 0;
  for (;;) {
    const row = await readRequest(database, id);
    if (row.failure !== null)
      throw new RequestError(
        `The recheck failed: ${row.failure}. Correct the cause, then run the command again.`,
      );
    if (row.finished) return row;
    const now = Date.now();
    if (row.has_reader) readerSeenAt = now;
    if (now - readerSeenAt > MAX_WAIT_FOR_READER_MS)
      throw new RequestError(
        'No subscriber is running on this database. The request is stored: the subscriber fulfils it at its next start.',
      );
    if (now - startedAt > waitMs)
      throw new RequestError(
        `The recheck has not ended within ${waitMs / 1000} s. The subscriber continues it; its log reports the end as "quarantine rechecked".`,
      );
    if (row.evaluated > shown) {
      shown = row.evaluated;
      standardError.writeLine(`evaluated ${row.evaluated}, released ${row.released} so far`);
    }
    await pause(POLL_INTERVAL_MS);
  }
}

async function readRequest(database: Database, id: number): Promise<RequestRow> {
  const [row] = await database.query<RequestRow>(
    `SELECT finished_at IS NOT NULL AS finished, evaluated, released, failure,
            EXISTS (SELECT 1 FROM reader_lease JOIN replica ON replica.fencing_token = reader_lease.holder
                    WHERE replica.expires_at > clock_timestamp()) AS has_reader
     FROM quarantine_recheck WHERE id = $1`,
    [id],
  );
  if (row === undefined)
    throw new RequestError('The request was removed from the database. Run the command again.');
  return row;
}

function describeResult({ evaluated, released, stillQuarantined }: RecheckResult): string {
  return `evaluated ${evaluated}, released ${released}, still quarantined ${stillQuarantined}`;
}
