import type { Agent } from 'node:http';
import { checkServerIdentity, type ConnectionOptions } from 'node:tls';
import { HttpsProxyAgent } from 'https-proxy-agent';
import type { ClientConnection } from './client-connection.js';
import { chooseProxy } from './proxy-settings.js';
import type { TlsMaterial } from './tls-files.js';

/** Options of `ws` for one connection. */
export interface WebSocketConnection extends TlsMaterial {
  readonly agent?: Agent;
}

/**
 * The certificates, and the proxy where one applies.
 * @param ended aborted when the attempt or the connection has ended; it closes the connection to a proxy that has not answered
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
  private readonly host: string;

  constructor(proxy: string, target: URL, signal: AbortSignal) {
    // `signal` is an option of the socket, which the types of the agent leave out.
    const options: object = { signal };
    super(proxy, options);
    this.host = target.hostname.replace(/^\[|\]$/g, '');
  }

  /** For a target that is an address, Node would compare the certificate with the host of the proxy. */
  override connect(...[request, options]: Parameters<Connect>): ReturnType<Connect> {
    const check: ConnectionOptions = {
      checkServerIdentity: (_, certificate) => checkServerIdentity(this.host, certificate),
    };
    return super.connect(request, { ...options, ...check });
  }

  /** Always with TLS. The agent would otherwise derive it from a stack trace. */
  override isSecureEndpoint(): boolean {
    return true;
  }
}
