/** The operator API refused a record or the token. */
export class OperatorRefusedError extends Error {
  override readonly name = 'OperatorRefusedError';
  constructor(
    readonly path: string,
    readonly status: number,
    /** The body: problem details (RFC 9457). */
    readonly problem: string,
  ) {
    super(`${path} was refused with ${status}: ${problem.slice(0, 500)}`);
  }
}

/** The operator API did not respond, or failed. A repeat is harmless. */
export class OperatorUnavailableError extends Error {
  override readonly name = 'OperatorUnavailableError';
  constructor(
    readonly path: string,
    readonly status: number | undefined,
    options?: ErrorOptions,
  ) {
    super(`${path} is not available: ${status === undefined ? 'no response' : `status ${status}`}`, options);
  }
}
