import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { json as readJson } from 'node:stream/consumers';
import type { AddressInfo } from 'node:net';
import { generatePrivateKey } from '@ssb/identity';
import { waitFor } from '@ssb/testing';
import { startGateway, type RunningGateway } from './support/running-gateway.js';

/** The balance of the identity, from a JSON-RPC server in the place of an EVM node. No broker listens. */
const NO_BROKER = 'http://127.0.0.1:9';
const running: RunningGateway[] = [];
let node: Server;
let url: string;
let respond: RequestListener;

beforeAll(async () => {
  node = createServer((request, response) => respond(request, response)).listen(0, '127.0.0.1');
  await once(node, 'listening');
  url = `http://127.0.0.1:${(node.address() as AddressInfo).port}/the-key-of-the-operator`;
});

afterEach(async () => {
  for (const each of running.splice(0)) await each.stop();
  node.closeAllConnections();
});

afterAll(() => {
  node.close();
});

async function start(overrides: Readonly<Record<string, string>>): Promise<RunningGateway> {
  const gateway = await startGateway(NO_BROKER, overrides);
  running.push(gateway);
  return gateway;
}

const setNewIdentity = ({ client }: RunningGateway) => client.setIdentity(generatePrivateKey().toHex());

const json =
  (body: unknown): RequestListener =>
  (_request, response) =>
    response.end(JSON.stringify(body));

it.each(['NONE', 'LOW', 'OK'])('without a node the balance is the setting %s', async (balance) => {
  const gateway = await start({ IDENTITY_BALANCE: balance });
  expect((await setNewIdentity(gateway)).balance).toBe(balance);
});

it('is the level of eth_getBalance at the latest block, until the node fails, and NONE for another identity', async () => {
  const requests: unknown[] = [];
  let wei = 999n;
  respond = (request, response) => {
    void readJson(request).then((body) => {
      requests.push(body);
      json({ jsonrpc: '2.0', id: 1, result: `0x${wei.toString(16)}` })(request, response);
    });
  };
  const gateway = await start({
    BALANCE_RPC_URL: url,
    BALANCE_NONE_BELOW_WEI: '1000',
    BALANCE_OK_FROM_WEI: '2000000000000000000',
    BALANCE_REFRESH_MS: '50',
  });
  const { address, balance } = await setNewIdentity(gateway);
  expect(balance).toBe('NONE');
  expect(requests[0]).toMatchObject({
    jsonrpc: '2.0',
    method: 'eth_getBalance',
    params: [expect.stringMatching(new RegExp(`^${address}$`, 'i')), 'latest'],
  });
  for (const [amount, level] of [
    [1_000n, 'LOW'],
    [2_000_000_000_000_000_000n, 'OK'],
  ] as const) {
    wei = amount;
    await waitFor(level, async () => (await gateway.client.identity()).balance === level);
  }
  respond = (request) => void request.socket.destroy();
  await waitFor('a request fails', async () => {
    expect((await gateway.client.identity()).balance).toBe('OK');
    return gateway.logged().includes('the node cannot be reached');
  });
  expect((await setNewIdentity(gateway)).balance).toBe('NONE');
});

it('is requested once for parallel reads, and again for another identity', async () => {
  let requests = 0;
  respond = (request, response) => {
    requests += 1;
    json({ jsonrpc: '2.0', id: 1, result: '0x0' })(request, response);
  };
  const gateway = await start({ BALANCE_RPC_URL: url, BALANCE_REFRESH_MS: '3600000' });
  await setNewIdentity(gateway);
  await Promise.all(Array.from({ length: 20 }, () => gateway.client.identity()));
  expect(requests).toBe(1);
  await setNewIdentity(gateway);
  expect(requests).toBe(2);
});

it('is NONE after a malformed response, whose reason is logged without the address of the node', async () => {
  const gateway = await start({ BALANCE_RPC_URL: url, BALANCE_TIMEOUT_MS: '500' });
  const cases: [RequestListener, string][] = [
    [json({ jsonrpc: '2.0', id: 1, error: { code: -32_601, message: 'no' } }), 'is not a balance'],
    [json({ jsonrpc: '2.0', id: 2, result: '0xffffffffffffffffff' }), 'is not a balance'],
    [json({ jsonrpc: '2.0', id: 1, result: 10 ** 20 }), 'is not a balance'],
    [json({ jsonrpc: '2.0', id: 1, result: '-0x1' }), 'is not a balance'],
    [json({ jsonrpc: '2.0', id: 1, result: `0x${'f'.repeat(65)}` }), 'is not a balance'],
    [(_request, response) => response.end('<html>'), 'is not a balance'],
    [(_request, response) => response.end(' '.repeat(20_000)), 'larger than 16384 bytes'],
    [(_request, response) => response.writeHead(401).end(), 'answered with status 401'],
    [() => undefined, 'no response within 500 ms'],
  ];
  for (const [listener, reason] of cases) {
    respond = listener;
    const since = gateway.logged().length;
    expect((await setNewIdentity(gateway)).balance).toBe('NONE');
    expect(gateway.logged().slice(since)).toContain(reason);
  }
  expect(gateway.logged()).not.toContain('the-key-of-the-operator');
});

it('needs thresholds that do not contradict each other', async () => {
  const thresholds = { BALANCE_NONE_BELOW_WEI: '2', BALANCE_OK_FROM_WEI: '1' };
  await expect(start(thresholds)).rejects.toThrow(/BALANCE_OK_FROM_WEI must not be less/);
});
