import { type Issue, describeIssues } from '../schema/resource.js';

/** The error is logged with its fields, and a broken body of megabytes can have thousands of issues. */
const MAX_ISSUES = 20;

/** The reporting API responded with 403 (or 401) to a new token as well. A repeat does not help. */
export class ReportingForbiddenError extends Error {
  override readonly name = 'ReportingForbiddenError';
  constructor(
    readonly operation: string,
    readonly status: number,
  ) {
    super(`${operation} was refused with ${status}`);
  }
}

/** No response, or a status that document 000 does not define (5xx, 429…). A later repeat can help. */
export class ReportingUnavailableError extends Error {
  override readonly name = 'ReportingUnavailableError';
  constructor(
    readonly operation: string,
    /** Absent without a response. */
    readonly status: number | undefined,
    /** `Retry-After`, milliseconds. */
    readonly retryAfterMs: number | undefined,
    options?: ErrorOptions,
  ) {
    super(
      `${operation} is not available: ${status === undefined ? 'no response' : `status ${status}`}`,
      options,
    );
  }
}

/** A 200 whose body is not the resource of document 000, or a 404 that does not come from the market. */
export class MalformedResponseError extends Error {
  override readonly name = 'MalformedResponseError';
  /** Path of the first issue, e.g. `data.tradingDays[0].tradingDay`. */
  readonly path: string;
  /** The first twenty. */
  readonly issues: readonly Issue[];
  constructor(
    readonly operation: string,
    issues: readonly Issue[],
  ) {
    super(`${operation} sent a malformed body: ${describeIssues(issues)}`);
    this.path = issues[0]?.path ?? '';
    this.issues = issues.slice(0, MAX_ISSUES);
  }
}

/** The token service refused the client or its request (RFC 6749 §5.2). An operator must correct credentials or scopes. */
export class TokenRefusedError extends Error {
  override readonly name = 'TokenRefusedError';
  constructor(
    readonly status: number,
    /** RFC 6749 error code such as `invalid_client`; absent when the service sent none. */
    readonly code: string | undefined,
    readonly description: string | undefined,
    /** No request is sent before this time; until then, every call throws this error. */
    readonly nextAttemptAt?: Date,
  ) {
    const what = [status, code].filter((part) => part !== undefined).join(' ');
    const why = description === undefined ? '' : `: ${description}`;
    const when = nextAttemptAt === undefined ? '' : `; no attempt before ${nextAttemptAt.toISOString()}`;
    super(`the token service refused with ${what}${why}${when}`);
  }
}

/** No token at present: no response, a failing service, or a response without a token. A later repeat can help. */
export class TokenUnavailableError extends Error {
  override readonly name = 'TokenUnavailableError';
  constructor(
    readonly reason: string,
    readonly status: number | undefined,
    readonly retryAfterMs: number | undefined,
    options?: ErrorOptions,
  ) {
    super(`no token from the token service: ${reason}`, options);
  }
}
