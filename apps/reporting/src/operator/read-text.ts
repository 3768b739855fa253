import { isUtf8 } from 'node:buffer';
import { ProblemException } from '@ssb/platform';

/** A body as the text that it came as. @throws ProblemException 413 beyond the bound, 400 for what is no UTF-8 */
export async function readText(body: AsyncIterable<Buffer>, largestBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > largestBytes) throw bodyTooLarge(largestBytes);
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  if (!isUtf8(bytes)) throw new ProblemException(400, 'Bad request', 'The body must be UTF-8.');
  return bytes.toString('utf8');
}

export function bodyTooLarge(largestBytes: number): ProblemException {
  return new ProblemException(413, 'Body too large', `A body has at most ${largestBytes} bytes here.`, {
    largestBytes,
  });
}
