import {
  ALL_PARTICIPANTS,
  DIGEST_DELIVERY_TYPE,
  writeDigestDelivery,
  writeProblemDelivery,
} from '@ssb/events';
import { describeError } from '../../domain/describe-error.js';
import type { StoredEvent } from '../../receiver/domain/verify-stored-event.js';
import type { PendingDelivery, SentDelivery } from '../outbox/pending-delivery.js';

type Body = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly detail: string };

/** The archived events that a delivery has: one, or those of a digest. */
export function eventsOf({ grouped, ...delivery }: PendingDelivery): readonly StoredEvent[] {
  const { eventId, aboutEventId } = delivery;
  return grouped ?? [{ ...delivery, eventId: aboutEventId ?? eventId }];
}

/**
 * The body of a delivery whose archived events are verified: its event, or a document with them inside. The run role of the database can insert
 * rows, so that the details may be anything.
 */
export function composeBody(delivery: PendingDelivery): Body {
  const { aboutEventId, details, text } = delivery;
  if (aboutEventId === null && details === null) return { ok: true, text };
  if (aboutEventId === null || details === null)
    return { ok: false, detail: 'the row lacks the event or the details of its body' };
  try {
    return { ok: true, text: write(delivery, details) };
  } catch (error) {
    return { ok: false, detail: `the details of the row are not those of a body: ${describeError(error)}` };
  }
}

function write(
  { eventId, sink, participant, grouped, text }: PendingDelivery,
  details: NonNullable<PendingDelivery['details']>,
): string {
  if (details.delivery !== 'digest') return writeProblemDelivery(eventId, participant, details, text);
  if (grouped?.length !== details.count) throw new Error('the digest lacks events');
  return writeDigestDelivery(
    eventId,
    sink,
    details,
    grouped.map((event) => event.text),
  );
}

/** A delivery as sinks and log see it, without the events of a digest. A digest is about all of them, not the newest one. */
export function describeForSinks({ grouped, ...delivery }: PendingDelivery): SentDelivery {
  if (grouped === null) return delivery;
  return {
    ...delivery,
    type: DIGEST_DELIVERY_TYPE,
    participant: ALL_PARTICIPANTS,
    marks: [...new Set(grouped.flatMap((event) => event.marks))],
    eventIds: grouped.map((event) => event.eventId),
  };
}
