import type { Agent } from 'node:http';
import { HttpsProxyAgent } from 'https-proxy-agent';
import type { ClientConnection } from './client-connection.js';
import { chooseProxy } from './proxy-settings.js';
import { checkIdentityOf } from './server-identity.js';
import type { TlsMaterial } from './tls-files.js';

/** Options of `ws` for one connection. */
export interface WebSocketConnection extends TlsMaterial {
  readonly agent?: Agent;
}

/**
 * The certificates, and the proxy where one applies.
 * @param ended aborted when the attempt or the connection has ended; it closes the connection to a proxy that has not responded
 */
export function connectWebSocket(
  target: URL,
  { tls, proxy: settings }: ClientConnection,
  ended: AbortSignal,
): WebSocketConnection {
  const proxy = chooseProxy(target, settings);
  return { ...tls, ...(proxy !== undefined && { agent: new TunnelAgent(proxy, target, ended) }) };
}

type Connect = HttpsProxyAgent<string>['connect'];

/** Opens one tunnel. */
class TunnelAgent extends HttpsProxyAgent<string> {
  constructor(
    proxy: string,
    private readonly target: URL,
    signal: AbortSignal,
  ) {
    // `signal` is an option of the socket, which the types of the agent leave out.
    const options: object = { signal };
    super(proxy, options);
  }

  /** Node would compare the certificate of an IP address with the host of the proxy. */
  override connect(...[request, options]: Parameters<Connect>): ReturnType<Connect> {
    return super.connect(request, { ...options, ...checkIdentityOf(this.target) });
  }

  /** Always with TLS. The agent would otherwise derive it from a stack trace. */
  override isSecureEndpoint(): boolean {
    return true;
  }
}
