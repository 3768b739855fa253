/** A problem of RFC 9457: what went wrong and what is allowed, fit for a caller's eyes. */
export interface ProblemBody {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail?: string;
  readonly [extension: string]: unknown;
}

/** Thrown by a controller to answer with problem+json. Nothing in it may be secret. */
export class ProblemException extends Error {
  override readonly name = 'ProblemException';

  constructor(
    readonly status: number,
    readonly title: string,
    readonly detail?: string,
    readonly extensions: Readonly<Record<string, unknown>> = {},
  ) {
    super(`${status} ${title}${detail === undefined ? '' : `: ${detail}`}`);
  }

  body(): ProblemBody {
    return {
      type: 'about:blank',
      title: this.title,
      status: this.status,
      ...(this.detail !== undefined && { detail: this.detail }),
      ...this.extensions,
    };
  }
}
