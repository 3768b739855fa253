import { createSchema, Database, withRole, type SqlSession } from '@ssb/postgres';
import { migrations, OBSOLETE_ROLES, SCHEMA } from '@ssb/postgres/archive-schema';
import { createTestDatabase } from '@ssb/testing';

/** The empty tables of a subscriber. */
export async function createSubscriberTables() {
  const server = await createTestDatabase();
  const url = await createSchema(server.adminUrl, {
    schema: SCHEMA,
    migrations,
    passwords: { run: 'run', migration: 'migration' },
    furtherRoles: { api: 'api', poller: 'poller' },
    obsoleteRoles: OBSOLETE_ROLES,
  });
  const admin = new Database({ url: server.adminUrl, schema: SCHEMA });
  const subscriber = new Database({ url, schema: SCHEMA });
  return {
    admin,
    subscriber,
    /** `DATABASE_URL` with the role api. */
    apiUrl: withRole(url, 'api', 'api'),
    close: async () => {
      await Promise.all([admin.close(), subscriber.close()]);
      await server.close();
    },
  };
}

export type SubscriberTables = Awaited<ReturnType<typeof createSubscriberTables>>;

/** An archived event with a delivery to each sink. */
export async function addEvent(
  session: SqlSession,
  eventId: string,
  {
    type,
    archivedAt,
    sinks,
  }: { readonly type: string; readonly archivedAt: string; readonly sinks: readonly string[] },
): Promise<void> {
  await session.query('INSERT INTO inbox (event_id, received_at) VALUES ($1, now())', [eventId]);
  const [row] = await session.query<{ offset: number }>(
    `INSERT INTO archive (event_id, type, subject, participant, sequence, time, detected_at, channel, message_id, sender, origin, signature,
       appended_at_nanos, archived_at, event)
     VALUES ($1, $2, 'WPGENCO/prudential', 'WPGENCO', '1', '', '', 'c', $1, '', '', '', 0, $3, '{}')
     RETURNING archive_offset AS "offset"`,
    [eventId, type, archivedAt],
  );
  for (const sink of sinks)
    await session.query(
      `INSERT INTO delivery (event_id, sink, kind, subject, sequence, archive_offset, severity)
       VALUES ($1, $2, 'alert', 'WPGENCO/prudential', '1', $3, 'critical')`,
      [eventId, sink, row?.offset ?? NaN],
    );
}
