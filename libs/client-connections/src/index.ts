export type { ClientConnection } from './client-connection.js';
export {
  addressAuthorization,
  describeHttpAddress,
  isHttpAddress,
  type HttpAddressOptions,
} from './http-address.js';
export { IpNetworks, NetworkNotAllowedError, toPlainAddress } from './ip-networks.js';
export { chooseProxy, NoProxyList, type ProxySettings } from './proxy-settings.js';
export { ServerConnections, type ServerConnectionsOptions } from './server-connections.js';
export { checkServerIdentity } from './server-identity.js';
export {
  listTlsFiles,
  parseTlsFiles,
  UnusableTlsFilesError,
  type ClientCertificate,
  type LoadedTls,
  type TlsFileNames,
  type TlsMaterial,
} from './tls-files.js';
export { WEBHOOK_SECRET, WEBHOOK_SECRET_FORM } from './webhook-secret.js';
export { connectWebSocket, type WebSocketConnection } from './websocket-connection.js';
