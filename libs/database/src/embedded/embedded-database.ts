import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { PGlite, types } from '@electric-sql/pglite';
import type { Database, SqlSession, SqlValue } from '../database.js';
import { plainName } from '../errors.js';
import { claimFolder, type Release } from './sole-use.js';
import { emptyCluster } from './template/empty-cluster.js';

/**
 * Embedded PostgreSQL (PGlite) in a folder of its own, or in memory. One statement at a time, on this process's own thread.
 * @throws FolderInUseError when another process has it open
 */
export async function openEmbedded(folder: string): Promise<Database> {
  const release = await claim(folder);
  let engine: PGlite | undefined;
  const close = async (): Promise<void> => {
    try {
      if (engine !== undefined && !engine.closed) await engine.close();
    } finally {
      await release();
    }
  };
  try {
    const beginning = isNew(folder) ? await emptyCluster() : undefined;
    engine = await PGlite.create(folder, {
      parsers: PARSERS,
      serializers: SERIALIZERS,
      ...(beginning && { loadDataDir: beginning }),
    });
    return databaseOn(engine, close);
  } catch (error) {
    await close();
    throw error;
  }
}

const asStored = (text: string): string => text;

/** A date has no zone, so it must not become a moment; the engine's own way with bytes is a hundred times slower. */
const PARSERS = {
  [types.DATE]: asStored,
  [types.TIMESTAMP]: asStored,
  [types.BYTEA]: (text: string): Uint8Array => Buffer.from(text.slice(2), 'hex'),
};
const SERIALIZERS = { [types.BYTEA]: (bytes: Uint8Array): string => bytes as unknown as string };

function isNew(folder: string): boolean {
  return folder.startsWith('memory://') || !existsSync(join(folder, 'PG_VERSION'));
}

async function claim(folder: string): Promise<Release> {
  if (folder.includes('://')) return () => Promise.resolve();
  const release = await claimFolder(folder);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return release;
}

function databaseOn(engine: PGlite, close: () => Promise<void>): Database {
  return {
    ...sessionOn(engine),
    transaction: (work) => engine.transaction((tx) => work(sessionOn(tx))),
    // Everything is in this process: the connection cannot be lost.
    listen: (channel, { heard }) => engine.listen(plainName('channel', channel), heard).then(once),
    close,
  };
}

function sessionOn(on: Pick<PGlite, 'query'>): SqlSession {
  const query = async <Row>(sql: string, parameters: readonly SqlValue[] = []): Promise<Row[]> =>
    (await on.query<Row>(sql, [...parameters])).rows;
  return {
    query,
    notify: async (channel, payload) => {
      await query('SELECT pg_notify($1, $2)', [plainName('channel', channel), payload]);
    },
  };
}

/** Asked twice, it is done once. */
function once(stop: () => Promise<void>): () => Promise<void> {
  let stopping: Promise<void> | undefined;
  return () => (stopping ??= stop());
}
