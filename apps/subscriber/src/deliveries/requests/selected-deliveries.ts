import type { SqlSession } from '@ssb/postgres';
import { ARCHIVED_DELIVERIES } from '../outbox/pending-delivery.js';
import type { ArchiveWalk, SqlValues } from './archive-walk.js';
import { DELIVERY_IS_SELECTED, deliveryParameters, type DeliverySelection } from './delivery-selection.js';

/** @param condition SQL, which of the selected deliveries can be changed */
export const countSelected = (selection: DeliverySelection, condition: string): ArchiveWalk['count'] => ({
  sql: `SELECT count(*)::integer AS count FROM ${ARCHIVED_DELIVERIES} WHERE ${DELIVERY_IS_SELECTED} AND ${condition}`,
  parameters: deliveryParameters(selection),
});

/** Locks the subjects of selected deliveries, in the order of `recordResults`. Their results are then recorded before or after this transaction. */
export async function lockSubjects(
  session: SqlSession,
  condition: string,
  parameters: SqlValues,
): Promise<void> {
  await session.query(
    `SELECT FROM delivery_subject AS known WHERE (sink, subject) IN (
       SELECT delivery.sink, delivery.subject FROM ${ARCHIVED_DELIVERIES} WHERE ${DELIVERY_IS_SELECTED} AND ${condition})
     ORDER BY sink, subject FOR UPDATE`,
    parameters,
  );
}
