/**
 * Why a request failed, without its address, which can contain a secret: the code of a network error, `timeout`, or the message.
 * A timeout of `AbortSignal.timeout` has a numeric code.
 */
export function describeRequestError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return 'timeout';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
