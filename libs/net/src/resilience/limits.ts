/** A promise did not settle in time. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError';

  constructor(readonly timeoutMs: number) {
    super(`no response within ${timeoutMs} ms`);
  }
}

/**
 * Waits for a promise, but no longer than the time-out. The work behind the promise continues, and its later outcome is ignored.
 * @throws TimeoutError, the promise's error, or the signal's reason once it is aborted
 */
export async function withTimeout<T>(
  promise: Promise<T>,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let onAbort = (): void => undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimeoutError(timeoutMs)), timeoutMs);
    onAbort = () => reject(signal?.reason as Error);
    if (signal?.aborted === true) onAbort();
    signal?.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([limit, promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}

/** A request or response has a larger body than the reader takes. */
export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError';

  constructor(readonly maxBytes: number) {
    super(`the body has more than ${maxBytes} bytes`);
  }
}

/**
 * Reads a whole body. Once it is too large, the stream is destroyed and the rest is never received.
 * @throws BodyTooLargeError, or the stream's error
 */
export async function readBody(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) throw new BodyTooLargeError(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}
