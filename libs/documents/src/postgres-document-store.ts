import { Conditions, type Database, type SqlSession } from '@ssb/postgres';
import type { DocumentKey, DocumentRecord } from './document.js';
import {
  DocumentStoreError,
  MAX_REMOVED,
  type DocumentFilter,
  type DocumentStore,
  type DocumentUsage,
  type OpenedDocument,
  type PutResult,
} from './document-store.js';
import { verifiedContent } from './verified-content.js';

/** Any number. The lock makes replicas compare the size of the store one after the other. */
const PUT_LOCK = 7_305_121;
/** Bytes of one statement. The column is not compressed, so the server reads only this part. */
const PART_BYTES = 1_048_576;
/** One statement removes documents until they have this size, so that it ends within its time-out. */
const MAX_REMOVED_BYTES = 67_108_864;

const COLUMNS = `document_id AS id, kind, participant, market, to_char(period_from, 'YYYY-MM-DD') AS "periodFrom", designation, reference, version,
  sha256, bytes, to_char(stored_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS "storedAt"`;

/** Documents in the tables `document` and `document_content`. */
export class PostgresDocumentStore implements DocumentStore {
  /** @param maxBytes of all documents together; undefined for a store that is only read */
  constructor(
    private readonly database: Database,
    private readonly maxBytes: number = 0,
    private readonly maxRemovedBytes: number = MAX_REMOVED_BYTES,
  ) {}

  find(key: DocumentKey): Promise<DocumentRecord | undefined> {
    return findIn(this.database, key);
  }

  put(record: DocumentRecord, content: Uint8Array): Promise<PutResult> {
    return this.database.transaction(async (session) => {
      await session.query('SELECT pg_advisory_xact_lock($1)', [PUT_LOCK]);
      const known = await findIn(session, record);
      if (known !== undefined) return { outcome: 'known', record: known };
      const { bytes: storedBytes } = await usageOf(session);
      if (storedBytes + record.bytes > this.maxBytes) return { outcome: 'full', storedBytes };
      const { id, kind, participant, market, periodFrom, designation, reference, version, sha256, bytes } =
        record;
      await session.query(
        `INSERT INTO document (document_id, kind, participant, market, period_from, designation, reference, version, sha256, bytes, stored_at)
         VALUES ($1::uuid, $2, $3, $4, $5::date, $6, $7, $8, $9, $10, $11::timestamptz)`,
        [
          id,
          kind,
          participant,
          market,
          periodFrom,
          designation,
          reference,
          version,
          sha256,
          bytes,
          record.storedAt,
        ],
      );
      await session.query('INSERT INTO document_content (document_id, content) VALUES ($1::uuid, $2)', [
        id,
        content,
      ]);
      return { outcome: 'stored', record };
    });
  }

  async get(id: string): Promise<DocumentRecord | undefined> {
    const [row] = await this.database.query<DocumentRecord>(
      `SELECT ${COLUMNS} FROM document WHERE document_id = $1::uuid`,
      [id],
    );
    return row;
  }

  async open(id: string): Promise<OpenedDocument | undefined> {
    const record = await this.get(id);
    return record && { record, content: verifiedContent(record, this.readContent(record)) };
  }

  list(filter: DocumentFilter): Promise<DocumentRecord[]> {
    const { participants, markets, reference, idBeginning, since, until, after, limit } = filter;
    const conditions = new Conditions()
      .add(participants, (codes) => `participant = ANY (${codes}::text[])`)
      .add(markets, (codes) => `market = ANY (${codes}::text[])`)
      .add(reference, (id) => `reference = ${id}`)
      .add(idBeginning, (text) => `starts_with(document_id::text, ${text})`)
      .add(since, (time) => `stored_at >= ${time}::timestamptz`)
      .add(until, (time) => `stored_at < ${time}::timestamptz`);
    if (after !== undefined)
      conditions.addText(
        `(stored_at, document_id) < (${conditions.parameter(after.storedAt)}::timestamptz, ${conditions.parameter(after.id)}::uuid)`,
      );
    return this.database.query<DocumentRecord>(
      `SELECT ${COLUMNS} FROM document ${conditions.where} ORDER BY stored_at DESC, document_id DESC LIMIT ${conditions.parameter(limit)}`,
      conditions.values,
    );
  }

  /** The content goes with its document. */
  async removeBefore(time: Date): Promise<DocumentRecord[]> {
    const removed: DocumentRecord[] = [];
    while (removed.length < MAX_REMOVED) {
      const some = await this.database.query<DocumentRecord>(
        `DELETE FROM document WHERE document_id IN (
           SELECT document_id FROM (
             SELECT document_id, sum(bytes) OVER (ORDER BY stored_at, document_id) - bytes AS bytes_before FROM (
               SELECT document_id, stored_at, bytes FROM document WHERE stored_at < $1 ORDER BY stored_at, document_id LIMIT $2) AS oldest
           ) AS summed WHERE bytes_before < $3) RETURNING ${COLUMNS}`,
        [time, MAX_REMOVED - removed.length, this.maxRemovedBytes],
      );
      if (some.length === 0) break;
      removed.push(...some);
    }
    return removed;
  }

  usage(): Promise<DocumentUsage> {
    return usageOf(this.database);
  }

  close(): Promise<void> {
    return this.database.close();
  }

  private async *readContent({ id, bytes }: DocumentRecord): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes; at += PART_BYTES) {
      const [row] = await this.database.query<{ part: Uint8Array }>(
        `SELECT substring(content FROM $2::integer FOR ${PART_BYTES}) AS part FROM document_content WHERE document_id = $1::uuid`,
        [id, at + 1],
      );
      if (row === undefined) throw new DocumentStoreError(`The document ${id} was removed while it was read`);
      yield row.part;
    }
  }
}

async function findIn(session: SqlSession, key: DocumentKey): Promise<DocumentRecord | undefined> {
  const { kind, participant, market, periodFrom, designation, reference, version } = key;
  const [row] = await session.query<DocumentRecord>(
    `SELECT ${COLUMNS} FROM document WHERE kind = $1 AND participant = $2 AND market = $3 AND period_from = $4::date AND designation = $5
       AND reference = $6 AND version = $7`,
    [kind, participant, market, periodFrom, designation, reference, version],
  );
  return row;
}

async function usageOf(session: SqlSession): Promise<DocumentUsage> {
  const [row] = await session.query<{ documents: number; bytes: number; oldest: Date | null }>(
    'SELECT count(*) AS documents, coalesce(sum(bytes), 0)::bigint AS bytes, min(stored_at) AS oldest FROM document',
  );
  return { documents: row?.documents ?? 0, bytes: row?.bytes ?? 0, oldest: row?.oldest ?? undefined };
}
