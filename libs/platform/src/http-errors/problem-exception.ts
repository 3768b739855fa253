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

/** Characters of a field's name in a fault. The client chooses the name of an unknown field. */
const MAX_NAME_LENGTH = 60;
const MAX_ALLOWED = 30;

/** A field or parameter that is not one of those that are allowed. @param parent path of the object that has it, with a dot at the end */
export function unknownField(name: string, allowed: readonly string[], parent = ''): RequestFault {
  const path = `${parent}${name.slice(0, MAX_NAME_LENGTH)}`;
  const others =
    allowed.length === 0
      ? 'nothing is allowed here'
      : `allowed are ${allowed.slice(0, MAX_ALLOWED).join(', ')}`;
  return { path, message: `${path} is unknown: ${others}` };
}
