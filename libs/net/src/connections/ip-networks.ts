import { lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/** A connection was not opened, because no address of the host is in the allowed networks. */
export class NetworkNotAllowedError extends Error {
  override readonly name = 'NetworkNotAllowedError';
  constructor(readonly addresses: readonly string[]) {
    super(`no allowed network contains ${addresses.join(', ')}`);
  }
}

interface IpNetwork {
  readonly address: string;
  readonly prefix: number;
  readonly family: 'ipv4' | 'ipv6';
}

/** A set of IP networks. An IPv4-mapped IPv6 address counts as its IPv4 address, because it is connected to over IPv4. */
export class IpNetworks {
  // One list would match IPv4 addresses with IPv6 networks.
  private readonly ipv4 = new BlockList();
  private readonly ipv6 = new BlockList();

  private constructor(networks: readonly IpNetwork[]) {
    for (const { address, prefix, family } of networks) this[family].addSubnet(address, prefix, family);
  }

  /** @returns undefined unless each text is a network in CIDR notation or an address, and neither is IPv4-mapped */
  static parse(texts: readonly string[]): IpNetworks | undefined {
    const networks = texts.map(parseNetwork);
    return networks.every((network) => network !== undefined) ? new IpNetworks(networks) : undefined;
  }

  /** False for a text that is not an address. */
  includes(text: string): boolean {
    const address = toPlainAddress(text);
    const family = familyOf(address);
    return family !== undefined && this[family].check(address, family);
  }

  /** Resolves a name like `dns.lookup`, to the addresses of these networks only. */
  readonly lookup: LookupFunction = (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, []);
      const allowed = found.filter(({ address }) => this.includes(address));
      const [first] = allowed;
      if (first === undefined)
        return callback(new NetworkNotAllowedError(found.map(({ address }) => address)), []);
      if (options.all) callback(null, allowed);
      else callback(null, first.address, first.family);
    });
  };
}

const LOOPBACK = IpNetworks.parse(['127.0.0.0/8', '::1']);

/** Whether the host of an address is this machine. Names are not resolved. */
export function isLoopback(hostname: string): boolean {
  return /(^|\.)localhost\.?$/.test(hostname) || LOOPBACK?.includes(hostname) === true;
}

function parseNetwork(text: string): IpNetwork | undefined {
  const [, address = '', length] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const family = familyOf(address);
  if (family === undefined || toPlainAddress(address) !== address) return undefined;
  const bits = family === 'ipv4' ? 32 : 128;
  const prefix = length === undefined ? bits : Number(length);
  return prefix <= bits ? { address, prefix, family } : undefined;
}

function familyOf(address: string): IpNetwork['family'] | undefined {
  const version = isIP(address);
  return version === 0 ? undefined : version === 4 ? 'ipv4' : 'ipv6';
}

/** Without the brackets of a URL and the zone, and as IPv4 where it is IPv4-mapped. Other texts stay as they are. */
export function toPlainAddress(text: string): string {
  const address = text.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
  if (isIP(address) !== 6) return address;
  // The URL parser writes every form of a mapped address in the same way.
  const mapped = /^\[::ffff:([\da-f]{1,4}):([\da-f]{1,4})\]$/.exec(new URL(`http://[${address}]`).hostname);
  if (mapped === null) return address;
  const [high = 0, low = 0] = mapped.slice(1).map((part) => Number.parseInt(part, 16));
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
}
