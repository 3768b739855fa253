import { IpNetworks, NetworkNotAllowedError } from './ip-networks.js';

const includes = (networks: string[], address: string): boolean | undefined =>
  IpNetworks.parse(networks)?.includes(address);

it.each([
  [['10.0.0.0/8'], '10.1.2.3', true],
  [['10.0.0.0/8'], '11.1.2.3', false],
  [['192.0.2.7'], '192.0.2.7', true],
  [['192.0.2.7'], '192.0.2.8', false],
  [['fd00::/8'], 'fd12::1', true],
  [['fd00::/8'], '[fd12::1]', true],
  [['fd00::/8'], 'fe80::1%eth0', false],
  // A mapped address is connected to over IPv4.
  [['10.0.0.0/8'], '::ffff:10.1.2.3', true],
  [['10.0.0.0/8'], '::ffff:a01:203', true],
  [['10.0.0.0/8'], '0:0:0:0:0:ffff:7f00:1', false],
  [['::/0'], '::ffff:10.1.2.3', false],
  [['::/0'], '10.1.2.3', false],
  [['0.0.0.0/0'], '::1', false],
  [['0.0.0.0/0', '::/0'], 'localhost', false],
])('%j and %s: %s', (networks, address, expected) => {
  expect(includes(networks, address)).toBe(expected);
});

it.each(['10.0.0.0/33', 'fd00::/129', '10.0.0', 'example.org', '::ffff:10.0.0.0/104', '10.0.0.0/8/8', '/8'])(
  'refuses %s',
  (network) => {
    expect(IpNetworks.parse(['192.0.2.0/24', network])).toBeUndefined();
  },
);

it('resolves a name to the addresses of the networks only', async () => {
  const lookup = (networks: string[], all: boolean): Promise<unknown> =>
    new Promise((resolve, reject) =>
      IpNetworks.parse(networks)?.lookup('localhost', { all }, (error, found) =>
        error === null ? resolve(found) : reject(error),
      ),
    );
  expect(await lookup(['127.0.0.0/8'], true)).toEqual([{ address: '127.0.0.1', family: 4 }]);
  expect(await lookup(['127.0.0.0/8'], false)).toBe('127.0.0.1');
  await expect(lookup(['10.0.0.0/8'], true)).rejects.toThrow(NetworkNotAllowedError);
});
