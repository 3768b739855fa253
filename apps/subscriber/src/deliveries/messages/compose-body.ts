import { writeProblemDelivery } from '@ssb/events';
import { describeError } from '../../domain/describe-error.js';
import type { PendingDelivery } from '../outbox/pending-delivery.js';

type Body = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly detail: string };

/**
 * The body of a delivery whose archived event is verified: that event, or a document with it inside. The run role of the database can insert
 * rows, so that the details may be anything.
 */
export function composeBody({ eventId, aboutEventId, participant, details, text }: PendingDelivery): Body {
  if (aboutEventId === null && details === null) return { ok: true, text };
  if (aboutEventId === null || details === null)
    return { ok: false, detail: 'the row lacks the event or the details of its body' };
  try {
    return { ok: true, text: writeProblemDelivery(eventId, participant, details, text) };
  } catch (error) {
    return { ok: false, detail: `the details of the row are not those of a body: ${describeError(error)}` };
  }
}
