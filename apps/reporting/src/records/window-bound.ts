/** The public notes of the prudential service: payloads of up to 10 MB. A client of ours takes 10 MiB, so what stands around them fits. */
export const LARGEST_WINDOW = 10_000_000;

/** What there is between two days would be a longer text than this service sends. */
export class WindowTooLargeError extends Error {
  override readonly name = 'WindowTooLargeError';

  constructor(
    readonly bytes: number,
    readonly allowed: number,
  ) {
    super(`what there is of these days is ${bytes} bytes long, and ${allowed} are allowed`);
  }
}
