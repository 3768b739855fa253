import {
  defineSettings,
  queueSettings,
  readSettings,
  renderTable,
  SettingsError,
  standardOutput,
  writeFileAtomically,
} from '@ssb/platform';
import { RecordDamagedError, RecordReader, type StoredRecord } from '@ssb/redis-queue';
import { Command } from 'commander';
import { fail, failWith } from '../fail.js';
import { print } from '../print.js';
import { withRedis } from '../queue/redis.js';
import { commandEnvironment } from '../settings.js';

const SHA256 = /^[0-9a-f]{64}$/;
/** The records are data of the participant. */
const OUTPUT_FILE_MODE = 0o600;

/** `busbridge records`. */
export function recordsCommand(): Command {
  const command = new Command('records').description('Reads the full records of summarised statements.');
  command
    .command('list')
    .description('the stored records, newest first')
    .option('--json', 'print JSON', false)
    .action(({ json }: { json: boolean }) =>
      withRecords(async (records) => print(await records.list(), json, renderList)),
    );
  command
    .command('get')
    .description('prints a record as RFC 8785 JSON, after a check of its hash')
    .argument('<sha256>', 'the sha256 of the event, 64 hexadecimal digits')
    .option('--out <file>', 'write the record to a file')
    .action((sha256: string, { out }: { out?: string }) =>
      withRecords((records) => printRecord(records, sha256.toLowerCase(), out)),
    );
  return command;
}

async function withRecords(work: (records: RecordReader) => Promise<void>): Promise<void> {
  try {
    const { QUEUE_PREFIX: prefix } = readSettings(defineSettings(queueSettings), commandEnvironment());
    await withRedis('records', (redis) => work(new RecordReader({ redis, prefix })));
  } catch (error) {
    if (!(error instanceof SettingsError || error instanceof RecordDamagedError)) throw error;
    failWith(error);
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
  if (!SHA256.test(sha256)) return fail(`${sha256} is not a hash: give the 64 hexadecimal digits of sha256.`);
  const text = await records.get(sha256);
  if (text === undefined)
    return fail(`There is no record ${sha256}: it was removed, or QUEUE_PREFIX names another bridge.`);
  if (out === undefined) standardOutput.writeExact(text);
  else await writeFileAtomically(out, text, OUTPUT_FILE_MODE);
}
