import { randomUUID } from 'node:crypto';
import type { Database, SqlSession } from '@ssb/postgres';
import { allowConsumer, chooseFrom, type ConsumerAllowance } from './domain/consumer-allowance.js';
import { assertReader, type ReaderToken } from '../replica/reader-lease.js';

/** A pair of `clientId` and `from`. A bus may keep a durable consumer for each, which continues where its last response ended. */
export interface CatchUpConsumer {
  readonly clientId: string;
  /** `from`, epoch milliseconds. */
  readonly fromMs: number;
}

export interface OpenedConsumer extends CatchUpConsumer {
  /** As long as the channel has reached its limit of new consumers; 0: it has not. */
  readonly limitedForMs: number;
}

/** The channel has reached its limit of new consumers, and the next one must wait. */
export class ConsumerLimitError extends Error {
  override readonly name = 'ConsumerLimitError';

  constructor(
    readonly channel: string,
    readonly waitMs: number,
    readonly limitedForMs: number,
  ) {
    super(`the channel has reached its limit of new consumers; the next one follows in ${waitMs} ms`);
  }
}

interface Recorded {
  readonly created_at: Date;
  readonly now: Date;
}

/** Attempts to find a `from` that is not in use. */
const MAX_ATTEMPTS = 100;

/** The consumers with which the channels of one client id were read. */
export class CatchUpConsumerStore {
  constructor(
    private readonly database: Database,
    private readonly reader: ReaderToken,
  ) {}

  /**
   * Records a pair that was not used before. It is durable when this resolves, so that no later process repeats it.
   * @param startMs where reading has to begin, epoch milliseconds
   * @param refused a pair that the gateway refused, so that it made no consumer
   * @throws ConsumerLimitError while no consumer may be made; LeaseLostError
   */
  async open(channel: string, startMs: number, refused?: CatchUpConsumer): Promise<OpenedConsumer> {
    const { clientId: owner } = this.reader;
    return this.database.transaction(async (session) => {
      await assertReader(session, this.reader);
      if (refused !== undefined)
        await session.query(
          'DELETE FROM catch_up_consumer WHERE client_id = $1 AND channel = $2 AND from_ms = $3',
          [owner, channel, refused.fromMs],
        );
      const { waitMs, limitedForMs } = await this.readAllowance(session, channel);
      if (waitMs > 0) throw new ConsumerLimitError(channel, waitMs, limitedForMs);
      await session.query(
        `DELETE FROM catch_up_consumer
         WHERE client_id = $1 AND channel = $2 AND created_at < clock_timestamp() - interval '30 days'`,
        [owner, channel],
      );
      const clientId = `bridge-${randomUUID()}`;
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
        const fromMs = chooseFrom(startMs, Math.random());
        const inserted = await session.query(
          `INSERT INTO catch_up_consumer (client_id, channel, from_ms, read_client_id) VALUES ($1, $2, $3, $4)
           ON CONFLICT DO NOTHING RETURNING 1`,
          [owner, channel, fromMs, clientId],
        );
        if (inserted.length > 0) return { clientId, fromMs, limitedForMs };
      }
      throw new Error(`every from of ${channel} near ${new Date(startMs).toISOString()} is in use`);
    });
  }

  /** Called when the gateway was seen to keep no consumers: the recorded ones do not exist. */
  async discount(channel: string): Promise<void> {
    await this.database.transaction(async (session) => {
      await assertReader(session, this.reader);
      await session.query(
        'UPDATE catch_up_consumer SET counts = false WHERE client_id = $1 AND channel = $2 AND counts',
        [this.reader.clientId, channel],
      );
    });
  }

  /** By the clock of the database, which all replicas share. */
  private async readAllowance(session: SqlSession, channel: string): Promise<ConsumerAllowance> {
    const rows = await session.query<Recorded>(
      `SELECT created_at, clock_timestamp() AS now FROM catch_up_consumer
       WHERE client_id = $1 AND channel = $2 AND counts AND created_at > clock_timestamp() - interval '1 day'`,
      [this.reader.clientId, channel],
    );
    const createdAt = rows.map(({ created_at }) => created_at.getTime());
    return allowConsumer(createdAt, rows[0]?.now.getTime() ?? 0);
  }
}
