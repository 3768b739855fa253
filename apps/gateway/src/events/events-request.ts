import {
  acknowledgement,
  readTextFields,
  SEND_MESSAGE_RULES,
  type SendMessage,
  type TextFieldsReading,
} from '@ssb/bus';
import { z } from 'zod';
import { parseJson } from '../parse-json.js';

/** One message that a client wants sent, or why it cannot be. */
export type SendRequest =
  | { readonly ok: true; readonly message: SendMessage }
  | { readonly ok: false; readonly transactionId: string | undefined; readonly reason: string };

/** What a WebSocket client asks for with one frame. */
export type EventsRequest =
  | { readonly kind: 'acknowledge'; readonly ids: readonly string[] }
  | { readonly kind: 'send'; readonly requests: readonly SendRequest[] };

/** Messages in one frame: each is answered on its own when it fails, and an answer is larger than a wrong entry. */
export const MOST_IN_A_FRAME = 1_000;

/** Reads a client's frame: an acknowledgement (reliable mode alone), a message to send, or an array of them. */
export function readEventsRequest(text: string, reliable: boolean): EventsRequest {
  const value = parseJson(text);
  if (value === undefined) return { kind: 'send', requests: [refused(undefined, 'The frame is not JSON.')] };
  if (typeof value === 'object' && value !== null && 'ack' in value)
    return readAcknowledgement(value, reliable);
  if (Array.isArray(value) && value.length > MOST_IN_A_FRAME) {
    const reason = `A frame takes ${MOST_IN_A_FRAME} messages; this one has ${value.length} and none was sent.`;
    return { kind: 'send', requests: [refused(undefined, reason)] };
  }
  return { kind: 'send', requests: (Array.isArray(value) ? value : [value]).map(readSend) };
}

/** Reads a message that a client wants sent, by REST or in a frame: the one check of it. */
export function readSendMessage(value: unknown): TextFieldsReading<SendMessage> {
  return readTextFields(withoutNulls(value), SEND_MESSAGE_RULES);
}

/** Some clients write null for a field that they leave out; in document 002 no field may be null. */
function withoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const fields: [string, unknown][] = Object.entries(value);
  if (fields.every(([, field]) => field !== null)) return value;
  return Object.fromEntries(fields.filter(([, field]) => field !== null));
}

function readAcknowledgement(value: object, reliable: boolean): EventsRequest {
  const ack = acknowledgement.safeParse(value);
  if (reliable && ack.success) return { kind: 'acknowledge', ids: ack.data.ack };
  const reason = reliable
    ? 'An acknowledgement is {"ack": […]} with the ids of messages, and nothing else.'
    : 'Acknowledgements need ack=explicit in the query of the upgrade.';
  return { kind: 'send', requests: [refused(undefined, reason)] };
}

function readSend(value: unknown): SendRequest {
  const reading = readSendMessage(value);
  if (reading.ok) return { ok: true, message: reading.value };
  const named = z.object({ transactionId: z.string() }).safeParse(value);
  const reason = reading.faults.map(({ message }) => message).join('; ');
  return refused(named.success ? named.data.transactionId : undefined, reason);
}

function refused(transactionId: string | undefined, reason: string): SendRequest {
  return { ok: false, transactionId, reason };
}
