import { findForeignAttribute, isBridgeAlert, validateDetectedEvent, type DetectedEvent } from '@ssb/events';
import { isSameIdentity } from '@ssb/identity';
import { parsePayload } from 'settlement-bus-downstream/checks';
import { describeError } from '../../domain/describe-error.js';
import { LOCAL, type Mark } from '../../domain/marks.js';
import { verifyBusMessage, type VerificationOptions } from './message-verifier.js';

/** A row of the archive. The run role of the database can insert one, and only the owner of the table can change it. */
export interface StoredEvent {
  readonly eventId: string;
  readonly type: string;
  readonly subject: string;
  readonly participant: string;
  readonly sequence: string;
  readonly channel: string;
  readonly messageId: string;
  /** DID of the gateway that posted the message. */
  readonly sender: string;
  /** DID of the bridge that signed the event. */
  readonly origin: string;
  readonly signature: string;
  readonly marks: readonly Mark[];
  /** The archived CloudEvent, byte for byte. */
  readonly text: string;
}

export type StoredVerdict = { readonly ok: true } | { readonly ok: false; readonly detail: string };

const OK: StoredVerdict = { ok: true };

/**
 * Verifies an archived event as its message was verified, and that the columns of its row are those of the event. An exception is a failed
 * verification, because the run role chooses what the row holds.
 * @param options with the senders that are trusted now on the row's channel
 */
export function verifyStoredEvent(stored: StoredEvent, options: VerificationOptions): StoredVerdict {
  try {
    return verify(stored, options);
  } catch (error) {
    return { ok: false, detail: `the event cannot be verified: ${describeError(error)}` };
  }
}

function verify(stored: StoredEvent, options: VerificationOptions): StoredVerdict {
  if (stored.channel === LOCAL) return verifyLocalEvent(stored);
  const { messageId: id, channel: fqcn, text: payload, signature, sender } = stored;
  const parsed = parsePayload(payload);
  const topic = parsed.ok ? parsed.event['topic'] : undefined;
  const verdict = verifyBusMessage(
    { id, fqcn, payload, signature, sender, timestampNanos: 0n, ...(typeof topic === 'string' && { topic }) },
    options,
  );
  if (!verdict.ok) return { ok: false, detail: `${verdict.reason}: ${verdict.detail}` };
  if (!isSameIdentity(verdict.origin, stored.origin)) return differs('origin');
  return compareColumns(stored, verdict.event);
}

/**
 * An event of the subscriber itself has no signature, so it may only be an operational alert of the subscriber. Its id and subject are those
 * of its data.
 */
function verifyLocalEvent(stored: StoredEvent): StoredVerdict {
  const parsed = parsePayload(stored.text);
  if (!parsed.ok) return { ok: false, detail: parsed.detail };
  const { local, ...unsigned } = parsed.event;
  if (local !== true || !stored.marks.includes(LOCAL)) return differs('local');
  const schema = validateDetectedEvent(unsigned);
  if (!schema.ok) {
    const problem = schema.reason === 'schema' ? schema.problems[0] : undefined;
    return {
      ok: false,
      detail: `an event without a signature does not match its schema: ${problem ?? 'unknown type'}`,
    };
  }
  const { event } = schema;
  if (!isBridgeAlert(event.type))
    return { ok: false, detail: 'an event without a signature is not an operational alert' };
  if (!('app' in event.data) || event.data.app !== 'subscriber')
    return { ok: false, detail: 'an event without a signature is not of the subscriber' };
  const foreign = findForeignAttribute(event);
  if (foreign !== undefined) return differs(foreign);
  return compareColumns(stored, event);
}

function compareColumns(
  stored: StoredEvent,
  event: Pick<DetectedEvent, 'id' | 'type' | 'subject' | 'participant' | 'sequence'>,
): StoredVerdict {
  if (stored.eventId !== event.id) return differs('id');
  if (stored.type !== event.type) return differs('type');
  if (stored.subject !== event.subject) return differs('subject');
  if (stored.participant !== event.participant) return differs('participant');
  return stored.sequence === event.sequence ? OK : differs('sequence');
}

function differs(column: string): StoredVerdict {
  return { ok: false, detail: `the row has another ${column} than its event` };
}
