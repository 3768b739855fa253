import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { all } from '@fastify/proxy-addr';
import { toPlainAddress, type IpNetworks } from '@ssb/net';

/** Determines the IP address of the client of a request, behind the proxies of TRUSTED_PROXIES. */
export class ClientAddressReader {
  /** @param trustedProxies undefined trusts no header */
  constructor(private readonly trustedProxies: IpNetworks | undefined) {}

  /** The last address of `X-Forwarded-For` that is not a trusted proxy; without a trusted proxy, the address of the peer. */
  read(request: IncomingMessage): string {
    // Undefined for a peer that has disconnected.
    const addresses: (string | undefined)[] = all(
      request,
      (address: string | undefined) =>
        address !== undefined && this.trustedProxies?.includes(address) === true,
    );
    // A proxy may write another text than an address; then the client is the proxy.
    return addresses.findLast((address) => address !== undefined && isIP(address) !== 0) ?? '';
  }
}

/**
 * Returns an IPv4 address unchanged, also when it is mapped into IPv6 (RFC 4291 §2.5.5.2).
 * Returns the /64 network of an IPv6 address, because one client can use all its addresses (RFC 6177 §2).
 */
export function toNetwork(text: string): string {
  const address = toPlainAddress(text);
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.split('::', 2);
  const before = splitGroups(head);
  const after = tail === undefined ? [] : splitGroups(tail);
  const zeros = new Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0');
  const prefix = [...before, ...zeros, ...after].slice(0, 4);
  return `${prefix.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}

/** Splits into 16-bit groups. An IPv4 suffix stays unparsed, because `toNetwork` uses only the first 64 bits. */
function splitGroups(part: string): string[] {
  return part === '' ? [] : part.split(':');
}
