import type { Database } from '@ssb/postgres';
import type { Watermark } from './domain/watermark.js';
import { assertReader, type ReaderToken } from '../replica/reader-lease.js';

interface WatermarkRow {
  read_up_to_nanos: string;
  complete_until: Date;
  gap_end_nanos: string;
}

/** The watermarks of one client id. Without one, a channel is read from its beginning. */
export class WatermarkStore {
  constructor(
    private readonly database: Database,
    private readonly reader: ReaderToken,
  ) {}

  async read(channel: string): Promise<Watermark | undefined> {
    const [row] = await this.database.query<WatermarkRow>(
      `SELECT read_up_to_nanos, complete_until, gap_end_nanos FROM channel_watermark
       WHERE client_id = $1 AND channel = $2`,
      [this.reader.clientId, channel],
    );
    if (row === undefined) return undefined;
    return {
      readUpToNanos: BigInt(row.read_up_to_nanos),
      completeUntil: row.complete_until,
      gapEndNanos: BigInt(row.gap_end_nanos),
    };
  }

  /**
   * Moves a watermark, never backwards.
   * @throws LeaseLostError when another replica reads the channels; nothing was written
   */
  async advance(channel: string, { readUpToNanos, completeUntil, gapEndNanos }: Watermark): Promise<void> {
    await this.database.transaction(async (session) => {
      await assertReader(session, this.reader);
      await session.query(
        `INSERT INTO channel_watermark AS known (client_id, channel, read_up_to_nanos, complete_until, gap_end_nanos)
         VALUES ($1, $2, $3::numeric, $4, $5::numeric)
         ON CONFLICT (client_id, channel) DO UPDATE SET
           read_up_to_nanos = greatest(known.read_up_to_nanos, excluded.read_up_to_nanos),
           complete_until = greatest(known.complete_until, excluded.complete_until),
           gap_end_nanos = greatest(known.gap_end_nanos, excluded.gap_end_nanos)`,
        [this.reader.clientId, channel, String(readUpToNanos), completeUntil, String(gapEndNanos)],
      );
    });
  }
}
