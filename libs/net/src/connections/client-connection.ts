import type { IpNetworks } from './ip-networks.js';
import type { ProxySettings } from './proxy-settings.js';
import type { TlsMaterial } from './tls-files.js';

/** How the connections to one service are opened. */
export interface ClientConnection {
  /** Read for each new connection, so an implementation can return renewed certificates. Another object means another content. */
  readonly tls?: TlsMaterial | undefined;
  readonly proxy?: ProxySettings | undefined;
  /** The networks of the service. Checked on the address that is connected to. Default: any. */
  readonly allowedNetworks?: IpNetworks | undefined;
}
