/** Thrown by a controller to respond with problem+json (RFC 9457). The client sees all of it, so nothing in it may be secret. */
export class ProblemException extends Error {
  override readonly name = 'ProblemException';

  constructor(
    readonly status: number,
    readonly title: string,
    readonly detail?: string,
    /** Further members of the problem. */
    readonly extensions: Readonly<Record<string, unknown>> = {},
  ) {
    super(`${status} ${title}${detail === undefined ? '' : `: ${detail}`}`);
  }

  /** The members of the problem. */
  body(): Record<string, unknown> {
    const { title, status, detail, extensions } = this;
    return { type: 'about:blank', title, status, ...(detail !== undefined && { detail }), ...extensions };
  }
}

/** What is wrong with one field of a request. */
export interface RequestFault {
  /** Names and indexes joined by dots, such as `topics.0.schema`; empty for the request as a whole. */
  readonly path: string;
  readonly message: string;
}

/** The body or query of a request is invalid. No value is repeated, as it may be secret. */
export class InvalidRequestError extends Error {
  override readonly name = 'InvalidRequestError';

  /** @param faults at least one */
  constructor(readonly faults: readonly RequestFault[]) {
    super(faults.map(({ message }) => message).join('; '));
  }
}
