import { isIP } from 'node:net';
import { buildConnector, Pool, ProxyAgent, type Dispatcher } from 'undici';
import type { ClientConnection } from './client-connection.js';
import { NetworkNotAllowedError, toPlainAddress } from './ip-networks.js';
import { chooseProxy } from './proxy-settings.js';
import { checkIdentityOf, checkServerIdentity } from './server-identity.js';
import type { TlsMaterial } from './tls-files.js';

export interface ServerConnectionsOptions {
  /** Maximum number of connections. */
  readonly connections: number;
  /** Timeout of each step: connection, tunnel, headers, body. */
  readonly timeoutMs: number;
}

export interface ServerRequest extends Omit<Dispatcher.RequestOptions, 'origin' | 'headers'> {
  readonly headers?: Readonly<Record<string, string>>;
}

/** Kept-alive HTTP connections to one server. Requests after a renewal of the certificates use new connections. */
export class ServerConnections {
  private tls: TlsMaterial | undefined;
  private dispatcher: Dispatcher;
  /** Earlier dispatchers whose requests have not ended. */
  private readonly closing = new Map<Dispatcher, Promise<void>>();

  /** @param server its path is ignored */
  constructor(
    private readonly server: URL,
    private readonly connection: ClientConnection,
    private readonly options: ServerConnectionsOptions,
  ) {
    this.tls = connection.tls;
    this.dispatcher = this.createDispatcher();
  }

  /**
   * As `request` of undici, without an encoding of the response. A body is read with `readResponse`, because a server may encode it nonetheless.
   * @throws NetworkNotAllowedError when the address of the server is not allowed
   */
  request(options: ServerRequest): Promise<Dispatcher.ResponseData> {
    this.renew();
    const headers = { 'accept-encoding': 'identity', ...options.headers };
    return this.dispatcher.request({ ...options, headers, origin: this.server.origin });
  }

  /** Applies renewed certificates. Resolves when all requests on earlier connections have ended. */
  async renewed(): Promise<void> {
    this.renew();
    await Promise.all(this.closing.values());
  }

  /** Resolves when all requests have ended. */
  async close(): Promise<void> {
    await Promise.all([this.dispatcher.close(), ...this.closing.values()]);
  }

  /** Aborts all requests. */
  async destroy(): Promise<void> {
    await Promise.all([this.dispatcher, ...this.closing.keys()].map((dispatcher) => dispatcher.destroy()));
  }

  private renew(): void {
    const { tls } = this.connection;
    if (tls === this.tls) return;
    const previous = this.dispatcher;
    this.tls = tls;
    this.dispatcher = this.createDispatcher();
    this.closing.set(
      previous,
      previous.close().finally(() => this.closing.delete(previous)),
    );
  }

  private createDispatcher(): Dispatcher {
    const { connections, timeoutMs: timeout } = this.options;
    const limits = { connections, headersTimeout: timeout, bodyTimeout: timeout };
    const proxy = chooseProxy(this.server, this.connection.proxy);
    if (proxy === undefined)
      return new Pool(this.server.origin, { ...limits, connect: this.createConnector() });
    return new ProxyAgent({
      ...limits,
      uri: proxy,
      requestTls: { timeout, ...this.tls, ...checkIdentityOf(this.server) },
      proxyTls: { timeout },
      // The response to CONNECT has the same timeout.
      clientFactory: (origin, options) => new Pool(origin, { ...options, headersTimeout: timeout }),
    });
  }

  private createConnector(): buildConnector.connector {
    const { allowedNetworks } = this.connection;
    const timeout = this.options.timeoutMs;
    if (allowedNetworks === undefined) return buildConnector({ timeout, checkServerIdentity, ...this.tls });
    const connect = buildConnector({
      timeout,
      checkServerIdentity,
      ...this.tls,
      lookup: allowedNetworks.lookup,
    });
    return (options, callback) => {
      // Node does not look up an address.
      const address = toPlainAddress(options.hostname);
      if (isIP(address) !== 0 && !allowedNetworks.includes(address))
        callback(new NetworkNotAllowedError([address]), null);
      else connect(options, callback);
    };
  }
}
