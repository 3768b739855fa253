import type { FastifyReply } from 'fastify';

/**
 * Takes the sending over from the framework: the headers tell the whole length, half of the body follows, and then `end` is called, which is
 * to end the connection.
 */
export function sendStart(reply: FastifyReply, body: string | Uint8Array, end: () => void): void {
  const bytes = Buffer.from(body);
  reply.hijack();
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) reply.raw.setHeader(name, value);
  reply.raw.writeHead(reply.statusCode, { 'content-length': bytes.length });
  reply.raw.write(bytes.subarray(0, Math.ceil(bytes.length / 2)), end);
}
