import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Database } from '@ssb/postgres';
import { databaseSettings, readSettings, SettingsError, standardError, standardOutput } from '@ssb/platform';
import { Command, InvalidArgumentError } from 'commander';
import { fail } from '../fail.js';
import { environment } from '../settings.js';

/** Schema of the subscriber, and the database channel on which it listens for requests. */
const SCHEMA = 'subscriber';
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
      "\nDATABASE_URL names the subscriber's database. While npm start runs, the command finds it in .data.",
    )
    .action(async ({ wait, json }: { wait: number; json: boolean }) => {
      try {
        const result = await recheck(wait * 1_000);
        if (json) standardOutput.writeJson(result, 0);
        else standardOutput.writeLine(describeResult(result));
      } catch (error) {
        fail(explainFailure(error));
      }
    });
  return command;
}

interface RecheckResult {
  readonly evaluated: number;
  readonly released: number;
  readonly stillQuarantined: number;
}

/** The request cannot be fulfilled now, or its result is not known. */
class RecheckError extends Error {
  override readonly name = 'RecheckError';
}

async function recheck(waitMs: number): Promise<RecheckResult> {
  const database = new Database({ url: databaseUrl(), schema: SCHEMA, connections: 1 });
  try {
    const id = await addRequest(database);
    const { evaluated, released } = await waitForResult(database, id, waitMs);
    const [row] = await database.query<{ open: number }>(
      'SELECT count(*) AS open FROM quarantine WHERE released_at IS NULL',
    );
    return { evaluated, released, stillQuarantined: row?.open ?? 0 };
  } finally {
    await database.close();
  }
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
      throw new RecheckError(
        `The recheck failed: ${row.failure}. Correct the cause, then run the command again.`,
      );
    if (row.finished) return row;
    const now = Date.now();
    if (row.has_reader) readerSeenAt = now;
    if (now - readerSeenAt > MAX_WAIT_FOR_READER_MS)
      throw new RecheckError(
        'No subscriber is running on this database. The request is stored: the subscriber fulfils it at its next start.',
      );
    if (now - startedAt > waitMs)
      throw new RecheckError(
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
    throw new RecheckError('The request was removed from the database. Run the command again.');
  return row;
}

function databaseUrl(): string {
  const file = join('.data', 'subscriber-database.url');
  const url = environment['DATABASE_URL'] || (existsSync(file) && readFileSync(file, 'utf8').trim());
  if (!url)
    throw new RecheckError(
      "DATABASE_URL is not set. Set it to the subscriber's database, with its run role.",
    );
  const { DATABASE_URL } = databaseSettings;
  return readSettings({ DATABASE_URL }, { DATABASE_URL: url }).DATABASE_URL;
}

function describeResult({ evaluated, released, stillQuarantined }: RecheckResult): string {
  return `evaluated ${evaluated}, released ${released}, still quarantined ${stillQuarantined}`;
}

const UNDEFINED_TABLE = '42P01';
const INSUFFICIENT_PRIVILEGE = '42501';

function explainFailure(error: unknown): string {
  const { message, code } = error as { message: string; code?: string };
  if (code === UNDEFINED_TABLE)
    return 'The database lacks the migrations of this release. Apply them with the migration role of the subscriber, then run the command again.';
  if (code === INSUFFICIENT_PRIVILEGE)
    return 'The role in DATABASE_URL has no right to the quarantine. Use the run role of the subscriber.';
  if (error instanceof RecheckError || error instanceof SettingsError) return message;
  return `${message} Check DATABASE_URL and that the server runs.`;
}

function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (!(seconds > 0 && seconds <= 86_400)) throw new InvalidArgumentError('A number of seconds up to 86400.');
  return seconds;
}
