import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { IpNetworks } from '@ssb/net';
import { ClientAddressReader, toNetwork } from './client-address.js';

function read(trusted: readonly string[], peer: string, forwardedFor?: string): string {
  const socket = new Socket();
  Object.defineProperty(socket, 'remoteAddress', { value: peer });
  const request = new IncomingMessage(socket);
  if (forwardedFor !== undefined) request.headers['x-forwarded-for'] = forwardedFor;
  return new ClientAddressReader(IpNetworks.parse(trusted)).read(request);
}

describe('the address of a client', () => {
  const TRUSTED = ['10.0.0.0/8', '2001:db8::1'];

  it.each([
    ['is that of the peer', [], '10.0.0.1', '192.0.2.7', '10.0.0.1'],
    ['is that of a peer that is not trusted', TRUSTED, '192.0.2.1', '192.0.2.7', '192.0.2.1'],
    ['is named by a trusted proxy', TRUSTED, '10.0.0.1', '192.0.2.7', '192.0.2.7'],
    ['is named by a trusted proxy with IPv6', TRUSTED, '2001:db8::1', '2001:db8:9::7', '2001:db8:9::7'],
    ['is named by a trusted proxy in mapped form', TRUSTED, '::ffff:10.0.0.1', '192.0.2.7', '192.0.2.7'],
    ['is named by a trusted proxy in hexadecimal', TRUSTED, '::ffff:a00:1', '192.0.2.7', '192.0.2.7'],
    [
      'is the last one that is not trusted',
      TRUSTED,
      '10.0.0.1',
      '192.0.2.9, 192.0.2.7, 10.0.0.2',
      '192.0.2.7',
    ],
    ['is that of a proxy without the header', TRUSTED, '10.0.0.1', undefined, '10.0.0.1'],
    ['is that of a proxy that names no address', TRUSTED, '10.0.0.1', '192.0.2.9, unknown', '10.0.0.1'],
  ])('%s', (_what, trusted, peer, forwardedFor, expected) => {
    expect(read(trusted, peer, forwardedFor)).toBe(expected);
  });
});

describe('the network of an address', () => {
  // Expected values are written by hand from RFC 4291 §2.2.
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::ffff:c000:207', '192.0.2.7'],
    ['0:0:0:0:0:FFFF:C000:0207', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['2001:0DB8:1:2::6', '2001:db8:1:2::/64'],
    ['2001:db8:1:3::6', '2001:db8:1:3::/64'],
    ['2001:db8::6', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['64:ff9b::192.0.2.7', '64:ff9b:0:0::/64'],
  ])('%s belongs to %s', (address, network) => {
    expect(toNetwork(address)).toBe(network);
  });
});
