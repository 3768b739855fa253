import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { generatePrivateKey } from '@ssb/identity';
import { freePort } from '@ssb/dev/free-ports';
import { waitFor } from '@ssb/testing';
import { startEvmNode, type TestEvmNode } from './support/evm-node.js';
import { startGateway, type RunningGateway } from './support/running-gateway.js';

/** The balance of the identity from an EVM node, well-formed and malformed responses. */
const running: RunningGateway[] = [];
let node: TestEvmNode;
let nowhere: string;

beforeAll(async () => {
  nowhere = `http://127.0.0.1:${await freePort()}`;
  node = await startEvmNode();
});

afterEach(async () => {
  for (const each of running.splice(0)) await each.stop();
});

afterAll(() => node?.stop());

async function start(overrides: Readonly<Record<string, string>>): Promise<RunningGateway> {
  const gateway = await startGateway(nowhere, overrides);
  running.push(gateway);
  return gateway;
}

const setNewIdentity = ({ client }: RunningGateway) => client.setIdentity(generatePrivateKey().toHex());

async function countRequests(
  { managementUrl }: RunningGateway,
  outcome: 'known' | 'failed',
): Promise<number> {
  const metrics = await (await fetch(`${managementUrl}/metrics`)).text();
  const found = new RegExp(
    `^settlement_bus_gateway_balance_requests_total{outcome="${outcome}"} (\\d+)`,
    'm',
  ).exec(metrics);
  return Number(found?.[1] ?? 0);
}

describe('without a node', () => {
  it.each(['NONE', 'LOW', 'OK'])('the balance is the setting %s', async (balance) => {
    const gateway = await start({ IDENTITY_BALANCE: balance });
    expect((await setNewIdentity(gateway)).balance).toBe(balance);
    expect((await gateway.client.identity()).balance).toBe(balance);
  });
});

describe('from a node', () => {
  it('the balance is NONE, LOW or OK by the amount and the thresholds in the settings', async () => {
    const gateway = await start({
      BALANCE_RPC_URL: node.url,
      BALANCE_NONE_BELOW_WEI: '1000',
      BALANCE_OK_FROM_WEI: '2000000000000000000',
      BALANCE_REFRESH_MS: '50',
    });
    const { address, balance } = await setNewIdentity(gateway);
    expect(balance).toBe('NONE');
    for (const [wei, level] of [
      [1_000n, 'LOW'],
      [999n, 'NONE'],
      [1_999_999_999_999_999_999n, 'LOW'],
      [2_000_000_000_000_000_000n, 'OK'],
    ] as const) {
      node.setBalance(address, wei);
      await waitFor(`${wei} wei are ${level}`, async () => {
        return (await gateway.client.identity()).balance === level;
      });
    }
  });

  it('it is requested once for parallel reads, and again for another identity', async () => {
    const gateway = await start({ BALANCE_RPC_URL: node.url, BALANCE_REFRESH_MS: '3600000' });
    const { address } = await setNewIdentity(gateway);
    node.setBalance(address, 10n ** 18n);
    const shown = await Promise.all(Array.from({ length: 20 }, () => gateway.client.identity()));
    expect(new Set(shown.map(({ balance }) => balance))).toEqual(new Set(['NONE']));
    expect(await countRequests(gateway, 'known')).toBe(1);
    await setNewIdentity(gateway);
    expect(await countRequests(gateway, 'known')).toBe(2);
  });

  it('that stopped the last known level applies, and NONE to another identity', async () => {
    const gateway = await start({ BALANCE_RPC_URL: node.url, BALANCE_REFRESH_MS: '50' });
    const { address } = await setNewIdentity(gateway);
    node.setBalance(address, 10n ** 18n);
    await waitFor('OK', async () => (await gateway.client.identity()).balance === 'OK');
    // The last use of the node in this file.
    await node.stop();
    await waitFor('a request fails', async () => {
      expect((await gateway.client.identity()).balance).toBe('OK');
      return (await countRequests(gateway, 'failed')) > 0;
    });
    expect(gateway.logged()).toContain('the node cannot be reached (ECONNREFUSED)');
    expect((await setNewIdentity(gateway)).balance).toBe('NONE');
  });
});

describe('a malformed response of the node leaves NONE, and its reason without the address in the log:', () => {
  const json =
    (body: unknown): RequestListener =>
    (_request, response) =>
      response.end(JSON.stringify(body));
  it.each<[string, RequestListener, string]>([
    [
      'an error',
      json({ jsonrpc: '2.0', id: 1, error: { code: -32_601, message: 'no' } }),
      'is not a balance',
    ],
    ['another id', json({ jsonrpc: '2.0', id: 2, result: '0xffffffffffffffffff' }), 'is not a balance'],
    ['a number', json({ jsonrpc: '2.0', id: 1, result: 10 ** 20 }), 'is not a balance'],
    ['a negative number', json({ jsonrpc: '2.0', id: 1, result: '-0x1' }), 'is not a balance'],
    [
      'more than 256 bits',
      json({ jsonrpc: '2.0', id: 1, result: `0x${'f'.repeat(65)}` }),
      'is not a balance',
    ],
    ['not JSON', (_request, response) => response.end('<html>'), 'is not a balance'],
    ['a large body', (_request, response) => response.end(' '.repeat(20_000)), 'larger than 16384 bytes'],
    ['a status', (_request, response) => response.writeHead(401).end(), 'answered with status 401'],
    ['no response', () => undefined, 'no response within 100 ms'],
  ])('%s', async (_name, listener, reason) => {
    const server = createServer(listener).listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/the-key-of-the-operator`;
      // Only a node without a response is to take longer than the timeout.
      const BALANCE_TIMEOUT_MS = reason.includes('100 ms') ? '100' : '30000';
      const gateway = await start({ BALANCE_RPC_URL: url, BALANCE_TIMEOUT_MS });
      expect((await setNewIdentity(gateway)).balance).toBe('NONE');
      expect(gateway.logged()).toContain(reason);
      expect(gateway.logged()).not.toContain('the-key-of-the-operator');
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});

describe('thresholds that contradict each other', () => {
  it('prevent the start', async () => {
    await expect(start({ BALANCE_NONE_BELOW_WEI: '2', BALANCE_OK_FROM_WEI: '1' })).rejects.toThrow(
      /BALANCE_OK_FROM_WEI must not be less/,
    );
  });
});
