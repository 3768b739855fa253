export type { ClientConnection } from './client-connection.js';
export { IpNetworks, NetworkNotAllowedError, toPlainAddress } from './ip-networks.js';
export { chooseProxy, NoProxyList, type ProxySettings } from './proxy-settings.js';
export { ServerConnections, type ServerConnectionsOptions } from './server-connections.js';
export {
  listTlsFiles,
  parseTlsFiles,
  UnusableTlsFilesError,
  type ClientCertificate,
  type LoadedTls,
  type TlsFileNames,
  type TlsMaterial,
} from './tls-files.js';
export { connectWebSocket, type WebSocketConnection } from './websocket-connection.js';
