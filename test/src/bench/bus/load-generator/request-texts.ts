import { randomUUID } from 'node:crypto';
import { createMessage } from '../bench-messages.js';

/** Where messages are posted. */
export interface PostTarget {
  readonly port: number;
  readonly path: string;
  /** Value of the `authorization` header. */
  readonly authorization: string;
  readonly fqcn: string;
}

/** Further numbers have as many digits, so the content length stays the same. */
const FIRST_NUMBER = 1_000_000;

/** Returns a function that builds the next HTTP request with a message of about 1 kB. Only number and transaction id differ. */
export function createRequestTexts({ port, path, authorization, fqcn }: PostTarget): () => string {
  const message = createMessage(fqcn, FIRST_NUMBER);
  const body = JSON.stringify(message);
  const lines = [
    `POST ${path} HTTP/1.1`,
    `host: 127.0.0.1:${port}`,
    `authorization: ${authorization}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  const [beforeNumber, rest] = splitAt(body, String(FIRST_NUMBER));
  const [beforeId, afterId] = splitAt(rest, message.transactionId ?? '');
  const start = `${lines.join('\r\n')}\r\n\r\n${beforeNumber}`;
  let number = FIRST_NUMBER;
  return () => `${start}${number++}${beforeId}${randomUUID()}${afterId}`;
}

/** The text before and after a part of it. */
function splitAt(text: string, part: string): [before: string, after: string] {
  const index = text.indexOf(part);
  return [text.slice(0, index), text.slice(index + part.length)];
}
