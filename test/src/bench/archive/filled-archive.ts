import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTestDatabase, type TestDatabase } from '@ssb/testing';
import { ensureSchemas, REPOSITORY_ROOT, type ResourceStack } from '@ssb/tools';
import { ADD_EVENTS, ADD_REST, CREATE_EXAMPLES, FILLED_TYPES, PLAN_EVENTS } from './fill-statements.js';

/** Events of a statement. */
const EVENTS_PER_STATEMENT = 100_000;
const DERIVED_PER_STATEMENT = 10_000;
/** A database of this size has a cache. PostgreSQL's own default, 128 MB, is meant for small machines. */
export const SHARED_BUFFERS = '1GB';
/** Their indexes are created once the rows are there, which takes a fraction of the time. */
const INDEXED_TABLES = ['archive', 'delivery', 'calculation', 'settlement_event'];

/** The database of an archive. */
export interface FilledArchive {
  readonly subscriberUrl: string;
  readonly apiUrl: string;
  /** Bytes of all tables and indexes. */
  readonly bytes: number;
}

/**
 * Creates a database with the tables of the archive and this many events.
 * @param folder gets the passwords
 */
export async function createFilledArchive(
  events: number,
  folder: string,
  print: (text: string) => void,
  resources: ResourceStack,
): Promise<FilledArchive> {
  const server = await createTestDatabase({ durable: true, sharedBuffers: SHARED_BUFFERS });
  await resources.defer(() => server.close());
  const { subscriber, api } = await ensureSchemas(server.adminUrl, folder);
  await server.query('SET search_path = subscriber');
  await fill(server, events, print);
  const [row] = await server.query<{ bytes: number }>(
    'SELECT pg_database_size(current_database())::float8 AS bytes',
  );
  return { subscriberUrl: subscriber, apiUrl: api, bytes: row?.bytes ?? NaN };
}

async function fill(admin: TestDatabase, events: number, print: (text: string) => void): Promise<void> {
  const timed = async (what: string, work: () => Promise<unknown>): Promise<void> => {
    const started = performance.now();
    await work();
    print(`${what}: ${((performance.now() - started) / 1_000).toFixed(1)} s`);
  };
  await admin.query(CREATE_EXAMPLES);
  for (const type of FILLED_TYPES) {
    const file = join(REPOSITORY_ROOT, `libs/events/examples/settlementbus.${type}.v1.json`);
    await admin.query('INSERT INTO public.example VALUES ($1, $2::jsonb)', [
      type,
      readFileSync(file, 'utf8'),
    ]);
  }
  const indexes = await dropIndexes(admin);
  await timed('plan', () => admin.query(PLAN_EVENTS, [events]));
  await admin.query('CREATE INDEX ON public.planned (number)');
  const [planned] = await admin.query<{ count: number }>(
    'SELECT count(*)::integer AS count FROM public.planned',
  );
  const total = planned?.count ?? 0;
  await timed(`${total} events`, async () => {
    for (let first = 1; first <= total; first += EVENTS_PER_STATEMENT)
      await runWithoutTriggers(admin, ADD_EVENTS, [first, first + EVENTS_PER_STATEMENT - 1]);
  });
  await admin.query('ANALYZE');
  for (const [what, sql] of ADD_REST)
    await timed(what, () => runWithoutTriggers(admin, sql, sql.includes('$1') ? [events] : []));
  await timed('indexes', async () => {
    for (const index of indexes) await admin.query(index);
  });
  await timed('market rows', () => deriveMarketRows(admin));
  await admin.query('DROP TABLE public.planned, public.example');
  await timed('statistics', () => admin.query('VACUUM ANALYZE'));
}

/** @returns the statements that create them */
async function dropIndexes(admin: TestDatabase): Promise<readonly string[]> {
  const rows = await admin.query<{ name: string; definition: string }>(
    `SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition FROM pg_index
     WHERE indrelid = ANY ($1::regclass[]) AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)`,
    [INDEXED_TABLES],
  );
  for (const { name } of rows) await admin.query(`DROP INDEX ${name}`);
  return rows.map(({ definition }) => definition);
}

async function runWithoutTriggers(
  admin: TestDatabase,
  sql: string,
  parameters: readonly number[],
): Promise<void> {
  await admin.query('BEGIN');
  await admin.query('SET LOCAL session_replication_role = replica');
  await admin.query(`SET LOCAL work_mem = '256MB'`);
  await admin.query(sql, parameters);
  await admin.query('COMMIT');
}

/** As migration 009 does. */
async function deriveMarketRows(admin: TestDatabase): Promise<void> {
  let last = 0;
  for (;;) {
    const [row] = await admin.query<{ last: number | null }>(
      `WITH batch AS MATERIALIZED (
         SELECT array_agg(archive_offset ORDER BY archive_offset) AS offsets, max(archive_offset)::float8 AS last
         FROM (SELECT archive_offset FROM archive WHERE archive_offset > $1 AND is_market_event(type) ORDER BY archive_offset LIMIT $2) AS next
       ) SELECT last, CASE WHEN last IS NOT NULL THEN derive_readable_rows(offsets) END FROM batch`,
      [last, DERIVED_PER_STATEMENT],
    );
    if (row?.last == null) return;
    last = row.last;
  }
}
