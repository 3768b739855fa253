export * from './values/decimal.js';
export * from './values/json.js';
export * from './values/market-service.js';
export * from './values/market-time.js';

export type { IndexedResponse, UnreadableItem } from './schema/partial-read.js';
export { hasOnlyUnsetDates } from './schema/partial-read.js';
export type { Issue, ReadResult, Resource } from './schema/resource.js';
export { describeIssues, toJsonSchema } from './schema/resource.js';

export * from './resources/prudential/prudential-calculation.js';
export * from './resources/prudential/settlement-output.js';
export * from './resources/settlement/settlement-cycle-timeline.js';
export * from './resources/settlement/settlement-output-details.js';
export * from './resources/settlement/settlement-statement-summary.js';
export * from './resources/settlement/compare-statements.js';
export type * from './resources/invoice/invoice-sections.js';
export * from './resources/invoice/settlement-invoice.js';
export { type Granularity } from './resources/rules.js';

export * from './client/errors.js';
export { PDF_FAULTS, type PdfFault } from './client/pdf-faults.js';
export type { RequestLimiter } from './client/http/rate-limited-transport.js';
export { ReportingClient, statementPath } from './client/reporting-client.js';
export type { ReportingClientOptions } from './client/reporting-client-options.js';
export * from './client/reporting-responses.js';
export { NO_RETRY } from './client/retry-policy.js';
export {
  NoResponseError,
  TokenRefusedError,
  TokenSource,
  TokenUnavailableError,
  type AccessToken,
  type ClientCredentials,
  type ConnectionEnd,
  type TokenProvider,
  type TokenSourceOptions,
} from '@ssb/net';
