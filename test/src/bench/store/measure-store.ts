import { openDatabase, startTestPostgres, TestPostgresError, type TestPostgres } from '@ssb/database';
import { parseMarketDate } from '@ssb/market';
import { fenced, milliseconds, whole } from '../figures.js';
import type { Section, Stops } from '../section.js';
import { LARGEST_BODY } from './bodies.js';
import type { StoreShape } from './market-store.js';
import { measureEngine, type EngineFigures } from './measure-engine.js';

/** The whole store of a market's quarter on each engine: how it is loaded, what it takes, and how fast each operation finds in it. */
export const store: Section = {
  name: 'store',
  about: 'all ten operations on a store of many participants, on both engines',
  async run({ participants, requests }, say, stops) {
    const shape: StoreShape = { participants, weeks: 13, from: parseMarketDate('2026-03-01') };
    const measured = [await measureEngine('embedded', shape, requests, say, stops)];
    const server = await postgres(say, stops);
    if (server !== undefined) {
      measured.push(
        await measureEngine('PostgreSQL', shape, requests, say, stops, {
          url: server.url,
          size: () => sizeOf(server.url),
        }),
      );
    }
    const report = [
      `${participants} participants, 13 weeks, WEM and NSTEM with three adjustments, STEM; loaded as JSON lines at the operator's door, ${whole(LARGEST_BODY / 1024 / 1024)} MiB`,
      'a body at most. Then each operation for random records of the whole store, 50 in flight over TLS from up to 50 participants (goal: p99 below 50 ms).',
      '',
      ...measured.flatMap((engine) => [fenced(...reportOf(engine)), '']),
    ].join('\n');
    return { figures: { measured }, report };
  },
};

/** A throw-away server; none where PostgreSQL's programs are not installed. */
async function postgres(say: (text: string) => void, stops: Stops): Promise<TestPostgres | undefined> {
  try {
    const server = await startTestPostgres();
    stops.add(() => server.stop());
    return server;
  } catch (error) {
    if (!(error instanceof TestPostgresError)) throw error;
    say(`without a PostgreSQL server: ${error.message}`);
    return undefined;
  }
}

async function sizeOf(url: string): Promise<number> {
  const database = await openDatabase(url, [], { schema: 'reporting' });
  try {
    const [row] = await database.query<{ bytes: number }>(
      'SELECT pg_database_size(current_database()) AS bytes',
    );
    return row?.bytes ?? Number.NaN;
  } finally {
    await database.close();
  }
}

function reportOf({
  engine,
  records,
  jsonBytes,
  loadSeconds,
  diskBytes,
  whileLoading,
  memory,
  operations,
}: EngineFigures): [string[], string[][]] {
  const mebibytes = (bytes: number): string => `${whole(bytes / 1024 / 1024)} MiB`;
  return [
    [engine, 'p50', 'p99', 'rate'],
    [
      ...operations.map(({ operation, p50, p99, perSecond }) => [
        operation,
        milliseconds(p50),
        milliseconds(p99),
        `${whole(perSecond)}/s`,
      ]),
      [
        '6  while a body is loaded',
        milliseconds(whileLoading.p50),
        milliseconds(whileLoading.p99),
        `${whole(whileLoading.perSecond)}/s`,
      ],
      ['records', whole(records), mebibytes(jsonBytes), 'of JSON'],
      ['loading', `${whole(loadSeconds)} s`, `${whole(records / loadSeconds)}/s`, ''],
      ['on disk', mebibytes(diskBytes), '', ''],
      ['resident, highest', `${memory.resident} MiB`, `${memory.highest} MiB`, ''],
    ],
  ];
}
