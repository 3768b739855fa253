import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestPostgres } from './test-postgres.js';

/** An engine under test: where a new database lives, and how everything is cleaned up. */
export interface Engine {
  /** Address and schema that nothing has been kept at yet. */
  newPlace(): { address: string; schema: string };
  stop(): Promise<void>;
}

/** Each implementation of `Database`, by the name that its tests carry. */
export const ENGINES: readonly [name: string, start: () => Promise<Engine>][] = [
  ['the embedded engine', startEmbedded],
  ['a PostgreSQL server', startServer],
];

async function startEmbedded(): Promise<Engine> {
  const folder = await mkdtemp(join(tmpdir(), 'database-'));
  let number = 0;
  return {
    newPlace: () => ({ address: join(folder, `db-${number++}`), schema: 'conformance' }),
    stop: () => rm(folder, { recursive: true }),
  };
}

/** One server, with a schema for each database. */
async function startServer(): Promise<Engine> {
  const server = await startTestPostgres();
  let number = 0;
  return {
    newPlace: () => ({ address: server.url, schema: `conformance_${number++}` }),
    stop: () => server.stop(),
  };
}
