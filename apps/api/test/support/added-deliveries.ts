import type { SqlSession, SqlValue } from '@ssb/postgres';

/** Columns of the table `delivery`. */
export type DeliveryColumns = Readonly<Record<string, SqlValue>> & {
  readonly event_id: string;
  readonly sink: string;
};

/** Adds a delivery of an archived event, or of a message about one (`about_event_id`). */
export async function addDelivery(session: SqlSession, columns: DeliveryColumns): Promise<void> {
  const given: Readonly<Record<string, SqlValue>> = { kind: 'notice', ...columns };
  const names = Object.keys(given);
  await session.query(
    `INSERT INTO delivery (${names.join(', ')}, subject, sequence, archive_offset)
     SELECT ${names.map((_, at) => `$${at + 1}`).join(', ')}, subject, sequence, archive_offset
     FROM archive WHERE event_id = '${String(columns['about_event_id'] ?? columns.event_id)}'`,
    Object.values(given),
  );
}
