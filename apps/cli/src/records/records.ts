import { defineSettings, queueSettings, readSettings, writeFileAtomically } from '@ssb/platform';
import { renderTable, standardOutput } from '@ssb/platform/cli';
import { RecordDamagedError, RecordReader, type StoredRecord } from '@ssb/redis-queue';
import { CommandError, EXIT } from '../exit.js';
import { print } from '../print.js';
import { withRedis } from '../queue/redis.js';
import { commandEnvironment } from '../settings.js';

const SHA256 = /^[0-9a-f]{64}$/;
/** The records are data of the participant. */
const OUTPUT_FILE_MODE = 0o600;

export const listRecords = (json: boolean): Promise<void> =>
  withRecords(async (records) => print(await records.list(), json, renderList));

export function getRecord(given: string, out: string | undefined): Promise<void> {
  const sha256 = given.toLowerCase();
  if (!SHA256.test(sha256))
    throw new CommandError(`${sha256} is not a hash: give the 64 hexadecimal digits of sha256.`, EXIT.usage);
  return withRecords((records) => printRecord(records, sha256, out));
}

async function withRecords(work: (records: RecordReader) => Promise<void>): Promise<void> {
  const { QUEUE_PREFIX: prefix } = readSettings(defineSettings(queueSettings), commandEnvironment());
  try {
    await withRedis('records', (redis) => work(new RecordReader({ redis, prefix })));
  } catch (error) {
    if (error instanceof RecordDamagedError) throw new CommandError(error.message);
    throw error;
  }
}

function renderList(records: readonly StoredRecord[]): string {
  if (records.length === 0) return 'There are no records.';
  return renderTable(
    ['sha256', 'subject', 'bytes', 'stored at', 'event id'],
    records.map(({ sha256, subject, bytes, storedAt, eventId }) =>
      [sha256, subject, String(bytes), storedAt, eventId].map(String),
    ),
  );
}

async function printRecord(records: RecordReader, sha256: string, out: string | undefined): Promise<void> {
  const text = await records.get(sha256);
  if (text === undefined)
    throw new CommandError(
      `There is no record ${sha256}: it was removed, or QUEUE_PREFIX names another bridge.`,
    );
  if (out === undefined) standardOutput.writeExact(text);
  else await writeFileAtomically(out, text, OUTPUT_FILE_MODE);
}
