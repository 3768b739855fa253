import { Inject, Injectable } from '@nestjs/common';
import type { Database, SqlSession } from '@ssb/postgres';
import { DATABASE } from '../database/database-options.js';
import type { Silence } from './domain/silence.js';
import { readActiveSilences, readOpenSilences } from './silence-table.js';

/** Database channel that notifies the replicas of a changed silence, and of a critical problem that one hides. */
export const SILENCES_CHANNEL = 'silences';

/** Which silences apply. Without an open silence, batches of events cost no statement. */
@Injectable()
export class OpenSilences {
  /** Until the first reading there may be some. */
  private mayExist = true;

  constructor(@Inject(DATABASE) private readonly database: Database) {}

  /** There may be some again: for a time this process did not follow them. */
  forget(): void {
    this.mayExist = true;
  }

  /** Reads the silences that are not concluded. Call it after every notification, and regularly, because one may be lost. */
  async refresh(): Promise<readonly Silence[]> {
    const silences = await readOpenSilences(this.database);
    this.mayExist = silences.length > 0;
    return silences;
  }

  /** Silences that apply to the events of a transaction, by the clock of the database. */
  async readActive(session: SqlSession): Promise<readonly Silence[]> {
    return this.mayExist ? readActiveSilences(session) : [];
  }
}
