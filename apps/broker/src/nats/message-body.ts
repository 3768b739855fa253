import type { NewMessage } from '../ports/message-log.js';

const LINE_FEED = 10;

/**
 * A message as JetStream stores it: a line of JSON with everything but the payload, then the payload as it is, which may be large and is
 * not escaped for nothing. Not in headers: those take no arbitrary text, and would be told to every broker with each wake-up.
 */
export function toBody({ topic, sender, signature, correlationId, payload }: NewMessage): Uint8Array {
  const head =
    correlationId === undefined ? [topic, sender, signature] : [topic, sender, signature, correlationId];
  return Buffer.from(`${JSON.stringify(head)}\n${payload}`);
}

/** @throws SyntaxError when it is none that `toBody` made */
export function fromBody(body: Uint8Array): NewMessage {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const end = bytes.indexOf(LINE_FEED);
  const [topic = '', sender = '', signature = '', correlationId] = JSON.parse(
    bytes.toString('utf8', 0, end),
  ) as string[];
  const payload = bytes.toString('utf8', end + 1);
  return { topic, sender, signature, payload, ...(correlationId !== undefined && { correlationId }) };
}
