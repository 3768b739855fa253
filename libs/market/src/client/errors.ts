import { type Issue, describeIssues } from '../resource.js';

/** Enough to mend a body by. The error is logged with its fields, and a broken body of megabytes has faults without end. */
const MOST_ISSUES = 20;

/** The reporting API answered 403 (or 401) also with a token that was fresh. Asking again changes nothing by itself. */
export class ReportingForbiddenError extends Error {
  override readonly name = 'ReportingForbiddenError';
  constructor(
    readonly operation: string,
    readonly status: number,
  ) {
    super(`${operation} was refused with ${status}`);
  }
}

/** No answer, or one that the interface document does not know (5xx, 429…). Worth asking again later. */
export class ReportingUnavailableError extends Error {
  override readonly name = 'ReportingUnavailableError';
  constructor(
    readonly operation: string,
    /** Absent when no answer came at all. */
    readonly status: number | undefined,
    /** What the server asked for by `Retry-After`. */
    readonly retryAfterMs: number | undefined,
    options?: ErrorOptions,
  ) {
    super(
      `${operation} is not available: ${status === undefined ? 'no answer' : `status ${status}`}`,
      options,
    );
  }
}

/** A 200 whose body is not the document's resource, or a 404 that is not the market's. `path` is where it first goes wrong, e.g. `data.tradingDays[0].tradingDay`. */
export class MalformedResponseError extends Error {
  override readonly name = 'MalformedResponseError';
  readonly path: string;
  /** The first twenty. */
  readonly issues: readonly Issue[];
  constructor(
    readonly operation: string,
    issues: readonly Issue[],
  ) {
    super(`${operation} sent a malformed body: ${describeIssues(issues)}`);
    this.path = issues[0]?.path ?? '';
    this.issues = issues.slice(0, MOST_ISSUES);
  }
}

/** The token service refused the client or its request (RFC 6749 §5.2). Credentials or scopes need a person. */
export class TokenRefusedError extends Error {
  override readonly name = 'TokenRefusedError';
  constructor(
    readonly status: number,
    /** RFC 6749 error code such as `invalid_client`; absent where the service sent none. */
    readonly code: string | undefined,
    readonly description: string | undefined,
    /** The service is not asked before; until then every call ends in this error. */
    readonly asksAgainAt?: Date,
  ) {
    const what = [status, code].filter((part) => part !== undefined).join(' ');
    const why = description === undefined ? '' : `: ${description}`;
    const when = asksAgainAt === undefined ? '' : `; not asked again before ${asksAgainAt.toISOString()}`;
    super(`the token service refused with ${what}${why}${when}`);
  }
}

/** No token for now: no answer, a failing service, or an answer without a token in it. */
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

/** The operator's door refused a record or its bearer. */
export class OperatorRefusedError extends Error {
  override readonly name = 'OperatorRefusedError';
  constructor(
    readonly path: string,
    readonly status: number,
    /** The problem details (RFC 9457) as they came. */
    readonly problem: string,
  ) {
    super(`${path} was refused with ${status}: ${problem.slice(0, 500)}`);
  }
}

/** The operator's door did not answer, or is failing. Loading again is harmless. */
export class OperatorUnavailableError extends Error {
  override readonly name = 'OperatorUnavailableError';
  constructor(
    readonly path: string,
    readonly status: number | undefined,
    options?: ErrorOptions,
  ) {
    super(`${path} is not available: ${status === undefined ? 'no answer' : `status ${status}`}`, options);
  }
}
