export * from './decimal.js';
export * from './market-time.js';
export * from './market-service.js';
export * from './json.js';
export * from './json-schema.js';
export * from './time-patterns.js';
export type { Issue, Reading, Resource } from './resource.js';
export { InvalidRecordError, describeIssues } from './resource.js';

export * from './resources/prudential-calculation.js';
export * from './resources/prudential-calculation-summary.js';
export * from './resources/settlement-output.js';
export * from './resources/settlement-statement-summary.js';
export * from './resources/settlement-output-details.js';
export * from './resources/granularity.js';
export * from './resources/settlement-invoice.js';
export type * from './resources/party.js';
export type * from './resources/payment-summary.js';
export type * from './resources/prepayment-balance.js';
export type * from './resources/line-item.js';
export type * from './resources/tax-invoice.js';
export type * from './resources/adjustment-summary.js';
export * from './resources/settlement-cycle-timeline.js';

export * from './client/errors.js';
export * from './client/reporting-client.js';
export * from './client/responses.js';
export * from './client/token-source.js';
export { DEFAULT_RETRY, NO_RETRY, type RetryPolicy, retryAfter } from './client/domain/retry-table.js';
export { type FailureKind, failureKind } from './client/domain/failure-kind.js';
export type { InterfaceProfile } from './client/interface-profile.js';
export type { RequestGate, RequestPermit } from './client/request-gate.js';
export * from './client/tls-files.js';
export { exchangeWithBearer } from './client/bearer-exchange.js';
export {
  type HttpAnswer,
  HttpEdge,
  type HttpRequest,
  NoAnswerError,
  type TlsMaterial,
} from './client/http-edge.js';
