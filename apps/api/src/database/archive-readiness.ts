import { Injectable } from '@nestjs/common';
import { Readiness } from '@ssb/platform';
import { Database } from '@ssb/postgres';
import { migrations } from '@ssb/postgres/archive-schema';

/** The newest migration of the archive, which the queries of this release need. */
export const REQUIRED_MIGRATION = migrations.at(-1)!.id;

/** SQLSTATEs of a table that does not exist, and of one that the role may not read. */
const NOT_MIGRATED = ['42P01', '42501'];

/** Reports the app as ready while the database responds and has the tables of this release or a later one. */
@Injectable()
export class ArchiveReadiness {
  constructor(
    private readonly database: Database,
    readiness: Readiness,
  ) {
    readiness.register('database', () => this.assertTables());
  }

  private async assertTables(): Promise<void> {
    const rows = await this.database
      .query('SELECT FROM migration WHERE id = $1', [REQUIRED_MIGRATION])
      .catch((error: unknown) => {
        if (NOT_MIGRATED.includes(String((error as { code?: string }).code))) return [];
        throw error;
      });
    if (rows.length === 0)
      throw new Error(
        `The tables of the archive are of an earlier release. Apply the migrations up to ${REQUIRED_MIGRATION} with "busbridge migrate".`,
      );
  }
}
