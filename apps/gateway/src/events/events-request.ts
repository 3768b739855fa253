import { isUtf8 } from 'node:buffer';
import { acknowledgement, frameText, type SendMessage } from '@ssb/bus';
import type { RawData } from 'ws';
import { z } from 'zod';
import { parseSendMessage } from '../messages/parse-send-message.js';
import { parseJson } from '../parse-json.js';

/** One message that a client sends, or why it is refused. */
export type SendRequest =
  | { readonly ok: true; readonly message: SendMessage }
  | { readonly ok: false; readonly transactionId: string | undefined; readonly reason: string };

/** One frame of a WebSocket client. */
export type EventsRequest =
  | { readonly kind: 'acknowledge'; readonly ids: readonly string[] }
  | { readonly kind: 'send'; readonly requests: readonly SendRequest[] };

/** Bounds the replies to one frame: each failed message gets one, which may be larger than the message. */
export const MAX_MESSAGES_PER_FRAME = 1_000;

/** A binary frame that is not UTF-8 becomes the empty text, which is not JSON, because decoding would change it. */
export function decodeFrame(data: RawData, isBinary: boolean): string {
  return isBinary && Buffer.isBuffer(data) && !isUtf8(data) ? '' : frameText(data);
}

/** Parses a client's frame: a message, an array of messages, or with ack=explicit an acknowledgement. */
export function parseEventsRequest(text: string, explicitAck: boolean): EventsRequest {
  const value = parseJson(text);
  if (value === undefined) return refuseFrame('The frame is not JSON.');
  if (typeof value === 'object' && value !== null && 'ack' in value) {
    return parseAcknowledgement(value, explicitAck);
  }
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (values.length > MAX_MESSAGES_PER_FRAME) {
    return refuseFrame(
      `A frame takes ${MAX_MESSAGES_PER_FRAME} messages; this one has ${values.length} and none was sent.`,
    );
  }
  return { kind: 'send', requests: values.map(parseSendRequest) };
}

function parseAcknowledgement(value: object, explicitAck: boolean): EventsRequest {
  if (!explicitAck) return refuseFrame('Acknowledgements need ack=explicit in the query of the upgrade.');
  const ack = acknowledgement.safeParse(value);
  if (ack.success) return { kind: 'acknowledge', ids: ack.data.ack };
  return refuseFrame('An acknowledgement is {"ack": […]} with the ids of messages, and nothing else.');
}

function parseSendRequest(value: unknown): SendRequest {
  const message = parseSendMessage(value);
  if (message.ok) return { ok: true, message: message.value };
  const identified = z.object({ transactionId: z.string() }).safeParse(value);
  const reason = message.faults.map((fault) => fault.message).join('; ');
  return { ok: false, transactionId: identified.data?.transactionId, reason };
}

function refuseFrame(reason: string): EventsRequest {
  return { kind: 'send', requests: [{ ok: false, transactionId: undefined, reason }] };
}
