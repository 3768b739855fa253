export * from './error-body.js';
export { isWellFormed, readTextFields, type TextFieldsResult, type TextRules } from './text-fields.js';
export * from './gateway/channel.js';
export * from './gateway/events-frame.js';
export * from './gateway/identity.js';
export * from './gateway/message.js';
export * from './gateway/response-headers.js';
export * from './gateway/send-message.js';
export * from './broker/http-api.js';
export * from './broker/role-decision.js';
export * from './broker/stream-api.js';
export { basicAuthorization } from './client/basic-authorization.js';
export {
  concernsAccess,
  readGatewayAccess,
  type GatewayAccess,
  type GatewayAccessProblem,
  type GatewayAccessSubject,
  type GatewayResponses,
  type RequiredAccess,
} from './client/gateway-access.js';
export { GatewayClient, type GatewayClientOptions, type ReadMessagesQuery } from './client/gateway-client.js';
export {
  GatewayError,
  GatewayResponseTooLargeError,
  GatewayUnreachableError,
  InvalidGatewayResponseError,
} from './client/gateway-errors.js';
export { decideRetry } from './client/gateway-retry.js';
export { GatewayStream } from './client/gateway-stream.js';
export type {
  GatewayStreamOptions,
  StreamDelivery,
  StreamFault,
  StreamState,
} from './client/gateway-stream-options.js';
export { ReconnectingWebSocket, type ReconnectingWebSocketOptions } from './client/reconnecting-websocket.js';
export { frameText, watchLiveness } from './client/websocket.js';
