import { type Issue, describeIssues } from '../schema/resource.js';
import type { PdfFault } from './pdf-faults.js';

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
  override readonly name: string = 'MalformedResponseError';
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

/** The response to operation 8 is not a complete PDF. */
export class InvoiceFileError extends MalformedResponseError {
  override readonly name = 'InvoiceFileError';
  constructor(
    operation: string,
    readonly fault: PdfFault,
    description: string,
  ) {
    super(operation, [{ path: '', message: description }]);
  }
}
