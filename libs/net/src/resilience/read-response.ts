import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { readBody } from './limits.js';

/** Requests send these headers. `readResponse` decodes what a server or proxy encodes nonetheless. */
export const WITHOUT_ENCODING = { 'accept-encoding': 'identity' } as const;

/** A response has an encoding that cannot be decoded, or a body that is not in its encoding. */
export class UnreadableEncodingError extends Error {
  override readonly name = 'UnreadableEncodingError';

  constructor(
    readonly encoding: string,
    options?: ErrorOptions,
  ) {
    super(
      `the response has the content-encoding "${encoding}", which cannot be decoded; identity was requested, and gzip, deflate and br are decoded as well`,
      options,
    );
  }
}

const DECODERS = new Map<string, () => NodeJS.ReadWriteStream>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

const MAX_NAME_LENGTH = 40;

/** The parts of a response of undici or Node that are read. */
export interface EncodedResponse {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Readable;
}

/**
 * Reads a whole body and decodes its content-encoding (RFC 9110, section 8.4). Once the decoded body is too large, the rest is never received.
 * @throws BodyTooLargeError, UnreadableEncodingError, or the stream's error
 */
export async function readResponse({ headers, body }: EncodedResponse, maxBytes: number): Promise<Buffer> {
  const encoding = String(headers['content-encoding'] ?? '')
    .trim()
    .toLowerCase();
  if (encoding === '' || encoding === 'identity') return readBody(body, maxBytes);
  const name = encoding.slice(0, MAX_NAME_LENGTH);
  const decoder = DECODERS.get(encoding)?.();
  if (decoder === undefined) {
    body.on('error', () => undefined).destroy();
    throw new UnreadableEncodingError(name);
  }
  try {
    // The iteration throws the error of either stream.
    return await readBody(pipeline(body, decoder, () => undefined) as unknown as Readable, maxBytes);
  } catch (error) {
    if (isDecodingError(error)) throw new UnreadableEncodingError(name, { cause: error });
    throw error;
  }
}

/** Codes of zlib, such as Z_DATA_ERROR, and of its Brotli decoder, such as ERR__ERROR_FORMAT_PADDING_2. */
function isDecodingError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(Z_|ERR__)/.test(String(error.code));
}
