import { defineSettings, queueSettings, readSettings } from '@ssb/platform';
import { renderFittedTable, standardOutput, StyledText, type Column } from '@ssb/platform/cli';
import { toCsv } from '@ssb/platform/csv';
import { RecordDamagedError, RecordReader, type StoredRecord } from '@ssb/redis-queue';
import { CommandError, EXIT } from '../exit.js';
import type { OutputOptions } from '../options.js';
import { printResult } from '../output/listing.js';
import { showTime } from '../output/text.js';
import { writeOutput, type OutputFile } from '../output-file.js';
import { withRedis } from '../queue/redis.js';
import { commandEnvironment } from '../settings.js';

const SHA256 = /^[0-9a-f]{64}$/;

export const listRecords = ({ output }: OutputOptions): Promise<void> =>
  withRecords(async (records) => {
    const listed = await records.list();
    if (output === 'csv') standardOutput.writeExact(toCsv(listed, MEMBERS));
    else printResult(listed, output, renderList);
  });

export function getRecord(given: string, file: OutputFile): Promise<void> {
  const sha256 = given.toLowerCase();
  if (!SHA256.test(sha256))
    throw new CommandError(`${sha256} is not a hash: give the 64 hexadecimal digits of sha256.`, EXIT.usage);
  return withRecords((records) => printRecord(records, sha256, file));
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

function renderList(records: readonly StoredRecord[]): StyledText {
  if (records.length === 0) return StyledText.of('There are no records.');
  return renderFittedTable(COLUMNS, records, standardOutput.width);
}

const MEMBERS = ['storedAt', 'participant', 'subject', 'eventId', 'sha256', 'bytes'] as const;

/** "records get" needs the whole hash. */
const COLUMNS: readonly Column<StoredRecord>[] = [
  { head: 'sha256', cell: ({ sha256 }) => sha256, whole: true },
  { head: 'subject', cell: ({ subject }) => subject, rank: 1 },
  { head: 'bytes', cell: ({ bytes }) => String(bytes), align: 'right', rank: 2 },
  { head: 'stored', cell: ({ storedAt }) => showTime(storedAt), rank: 3, whole: true },
  { head: 'event id', cell: ({ eventId }) => eventId, rank: 4 },
];

async function printRecord(records: RecordReader, sha256: string, file: OutputFile): Promise<void> {
  const text = await records.get(sha256);
  if (text === undefined)
    throw new CommandError(
      `There is no record ${sha256}: it was removed, or QUEUE_PREFIX names another bridge.`,
    );
  writeOutput(text, file);
}
