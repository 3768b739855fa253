import type { Database, SqlSession } from '@ssb/postgres';
import { DELIVERIES_CHANNEL } from '../outbox/pending-delivery.js';
import { addCounts } from '../outbox/subject-counts.js';
import { walkArchive, type BatchResult, type BatchRun } from './archive-walk.js';
import {
  DELIVERY_IS_SELECTED,
  deliveryParameters,
  selectedOffsets,
  type DeliverySelection,
} from './delivery-selection.js';
import { countSelected, lockSubjects } from './selected-deliveries.js';

/** A mistaken range must not flood a receiver. */
export const MAX_RESENT = 100_000;

/** SQL, with the ids of the selection as $8: an event that a digest has is resent alone only by its id. */
const CAN_BE_RESENT = 'delivered_at IS NOT NULL AND (digest_id IS NULL OR $8::text[] IS NOT NULL)';

/** Its sink refused it, or it was withheld and no digest has brought it. */
const WAS_NEVER_ACCEPTED =
  '(parked_until IS NOT NULL OR (withheld IS NOT NULL AND NOT is_in_delivered_digest(delivery)))';

/** Without `states`. A withheld delivery is resent only by name: a rule or a silence withholds it on purpose. */
const RESENT_BY_DEFAULT = ['parked', 'delivered', 'replaced', 'skipped'] as const;

/**
 * Makes deliveries pending again that their sink received or refused, or that were replaced, skipped or withheld. They keep id and body, and attempts
 * are counted on. Pending ones are unchanged. A resent delivery is not replaced, and only one that the sink never received stays urgent.
 */
export function resendDeliveries(
  database: Database,
  selection: DeliverySelection,
  run: BatchRun,
  maxResent = MAX_RESENT,
): Promise<BatchResult> {
  const resendable = { ...selection, states: selection.states ?? RESENT_BY_DEFAULT };
  const parameters = deliveryParameters(resendable);
  return walkArchive(
    database,
    {
      offsets: selectedOffsets(resendable),
      count: countSelected(resendable, CAN_BE_RESENT),
      refuse: (total) =>
        total > maxResent
          ? `${total} deliveries match; at most ${maxResent} are resent at once. Choose a shorter range of time, or fewer types.`
          : undefined,
      change: (session, offsets) => resend(session, [...offsets, ...parameters]),
    },
    run,
  );
}

async function resend(
  session: SqlSession,
  parameters: ReturnType<typeof deliveryParameters>,
): Promise<number> {
  await lockSubjects(session, CAN_BE_RESENT, parameters);
  const [row] = await session.query<{ changed: number }>(
    `WITH added AS (
       UPDATE delivery SET delivered_at = NULL, resent_at = clock_timestamp(), parked_at = NULL, parked_until = NULL, retry_from = NULL,
         replaced_by = NULL, skipped = false, withheld = NULL, held = false,
         urgent = urgent AND ${WAS_NEVER_ACCEPTED}, state = state AND urgent AND ${WAS_NEVER_ACCEPTED}
       FROM archive WHERE (delivery.event_id = archive.event_id OR delivery.about_event_id = archive.event_id) AND ${DELIVERY_IS_SELECTED} AND ${CAN_BE_RESENT}
       RETURNING sink, delivery.subject, kind, urgent, held, replayed
     ), counted AS (${addCounts('0')})
     SELECT count(*)::integer AS changed FROM added`,
    parameters,
  );
  const changed = row?.changed ?? 0;
  if (changed > 0) await session.notify(DELIVERIES_CHANNEL, '');
  return changed;
}
