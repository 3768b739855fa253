import { isIP } from 'node:net';
import { IpNetworks, isLoopback, toPlainAddress } from './ip-networks.js';

/** The proxy for connections with TLS, which it tunnels (CONNECT). */
export interface ProxySettings {
  /** `http://`, optionally with user and password. */
  readonly url: string;
  readonly except: NoProxyList;
}

/**
 * The proxy for a target; undefined when it is connected to directly: without TLS, on loopback, or named in NO_PROXY. The names of the target
 * are not resolved.
 */
export function chooseProxy(target: URL, settings: ProxySettings | undefined): string | undefined {
  if (settings === undefined || !['https:', 'wss:'].includes(target.protocol)) return undefined;
  return isLoopback(target.hostname) || settings.except.includes(target) ? undefined : settings.url;
}

/** An entry of NO_PROXY. */
interface Exception {
  readonly matches: (hostname: string) => boolean;
  /** Any port when undefined. */
  readonly port: string | undefined;
}

/**
 * The hosts that are connected to without the proxy: `*`, a name for itself and its subdomains, with or without a leading dot, an address or a
 * network in CIDR notation, each except the network optionally with a port.
 */
export class NoProxyList {
  static readonly EMPTY = new NoProxyList([]);

  private constructor(private readonly exceptions: readonly Exception[]) {}

  /** @returns undefined when an entry is none of these forms */
  static parse(entries: readonly string[]): NoProxyList | undefined {
    const exceptions = entries.map(parseException);
    return exceptions.every((each) => each !== undefined) ? new NoProxyList(exceptions) : undefined;
  }

  includes({ hostname, port }: URL): boolean {
    return this.exceptions.some(
      (each) => (each.port === undefined || each.port === (port || '443')) && each.matches(hostname),
    );
  }
}

function parseException(entry: string): Exception | undefined {
  const text = entry.toLowerCase();
  if (text === '*') return { matches: () => true, port: undefined };
  const network = IpNetworks.parse([text]);
  if (network !== undefined) return { matches: (hostname) => network.includes(hostname), port: undefined };
  const [, host = '', port] = /^(\[[\da-f:.]+\]|[^[\]:/]+)(?::(\d{1,5}))?$/.exec(text) ?? [];
  const address = toPlainAddress(host);
  if (isIP(address) !== 0) return { matches: (hostname) => toPlainAddress(hostname) === address, port };
  const name = host.replace(/^\*?\./, '').replace(/\.$/, '');
  if (!/^[\w-]+(\.[\w-]+)*$/.test(name)) return undefined;
  return {
    matches: (hostname) => `.${hostname.replace(/\.$/, '')}`.endsWith(`.${name}`),
    port,
  };
}
