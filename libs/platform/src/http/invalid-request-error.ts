/** What is wrong with one field of a request. The path is empty for the request as a whole. */
export interface RequestFault {
  /** Names and indexes joined by dots: `topics.0.schema`. */
  readonly path: string;
  readonly message: string;
}

/** The body or query of a request has not the form that its operation takes. No value is repeated, as it may be secret. */
export class InvalidRequestError extends Error {
  override readonly name = 'InvalidRequestError';

  /** @param faults one at least */
  constructor(readonly faults: readonly RequestFault[]) {
    super(faults.map(({ message }) => message).join('; '));
  }
}
