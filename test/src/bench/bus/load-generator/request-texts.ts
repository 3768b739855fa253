import { randomUUID } from 'node:crypto';
import { messageOn } from '../bench-messages.js';

/** Where to post messages, and as whom. */
export interface PostTarget {
  readonly port: number;
  readonly path: string;
  /** Value of the `authorization` header. */
  readonly authorization: string;
  readonly fqcn: string;
}

/** Two numbers of as many digits have texts of the same length. */
const FIRST_NUMBER = 1_000_000;

/**
 * Makes whole HTTP requests that publish a message of some 1 kB, each with its own number and transaction id; what is the same in all of
 * them is written once.
 */
export function postTexts({ port, path, authorization, fqcn }: PostTarget): () => string {
  const message = messageOn(fqcn, FIRST_NUMBER);
  const body = JSON.stringify(message);
  const lines = [
    `POST ${path} HTTP/1.1`,
    `host: 127.0.0.1:${port}`,
    `authorization: ${authorization}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  const [beforeNumber, rest] = around(body, String(FIRST_NUMBER));
  const [beforeId, afterId] = around(rest, message.transactionId ?? '');
  const start = `${lines.join('\r\n')}\r\n\r\n${beforeNumber}`;
  let number = FIRST_NUMBER;
  return () => `${start}${number++}${beforeId}${randomUUID()}${afterId}`;
}

function around(text: string, part: string): [before: string, after: string] {
  const at = text.indexOf(part);
  return [text.slice(0, at), text.slice(at + part.length)];
}
