import { Readable } from 'node:stream';
import { createLogger, Metrics } from '@ssb/platform';
import type { RecordStore } from '../records/record-store.js';
import { timelineLoad } from '../../test/support/records.js';
import { RecordIngestService } from './record-ingest.service.js';

it('logs the kind of a single record, and the number of lines of a bulk load', async () => {
  const lines: string[] = [];
  const stream = { write: (line: string) => void lines.push(line) };
  const log = createLogger({ name: 'test', level: 'info', format: 'json', stream });
  const records = { loadAll: () => Promise.resolve({ loaded: 1, alreadyThere: 0 }) };
  const service = new RecordIngestService(records as unknown as RecordStore, log, new Metrics());
  const load = timelineLoad();
  await service.loadOne('timelines', load);
  await service.loadLines(Readable.from([Buffer.from(`{"kind":"timelines","record":${load}}\n`)]));
  expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
    expect.objectContaining({ kind: 'timelines', loaded: 1, msg: 'record loaded' }),
    expect.objectContaining({ lines: 1, loaded: 1, msg: 'records loaded' }),
  ]);
});
