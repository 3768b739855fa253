export type { DeliveryOutcome } from './webhook/delivery-outcome.js';
export {
  HttpReceiver,
  type HttpReceiverOptions,
  type ReceiverHeaders,
  type ReceiverRequest,
} from './webhook/http-receiver.js';
export { WebhookClient, type WebhookClientOptions } from './webhook/webhook-client.js';
export type { ClientConnection } from './connections/client-connection.js';
export {
  addressAuthorization,
  describeHttpAddress,
  isHttpAddress,
  type HttpAddressOptions,
} from './connections/http-address.js';
export { IpNetworks, isLoopback, NetworkNotAllowedError, toPlainAddress } from './connections/ip-networks.js';
export { chooseProxy, NoProxyList, type ProxySettings } from './connections/proxy-settings.js';
export { ServerConnections } from './connections/server-connections.js';
export { checkServerIdentity } from './connections/server-identity.js';
export {
  listTlsFiles,
  parseTlsFiles,
  UnusableTlsFilesError,
  type ClientCertificate,
  type LoadedTls,
  type TlsFileNames,
  type TlsMaterial,
} from './connections/tls-files.js';
export { describeRequestError } from './http/describe-request-error.js';
export {
  HttpClient,
  HttpResponse,
  NoResponseError,
  type ConnectionEnd,
  type HttpClientOptions,
  type HttpRequest,
  type HttpTransport,
  type StreamedResponse,
} from './http/http-client.js';
export { TokenRefusedError, TokenUnavailableError } from './oauth/token-errors.js';
export {
  TokenSource,
  type AccessToken,
  type ClientCredentials,
  type TokenProvider,
  type TokenSourceOptions,
} from './oauth/token-source.js';
export { WEBHOOK_SECRET, WEBHOOK_SECRET_FORM } from './connections/webhook-secret.js';
export { connectWebSocket } from './connections/websocket-connection.js';
export { readDateHeader, type ClockReading } from './resilience/clock-reading.js';
export { escapeLine, escapeLines, toPrintable } from './resilience/printable.js';
export { backoffDelayMs, retry, type Backoff } from './resilience/retry.js';
export { PeriodicTask } from './resilience/periodic-task.js';
export { BodyTooLargeError, readBody, TimeoutError, withTimeout } from './resilience/limits.js';
export { MAX_RESPONSE_TEXT_BYTES, readBeginning, toResponseText } from './resilience/read-beginning.js';
export {
  readResponse,
  UnreadableEncodingError,
  WITHOUT_ENCODING,
  type EncodedResponse,
} from './resilience/read-response.js';
export { parseHttpDate, parseRetryAfter } from './resilience/retry-after.js';
