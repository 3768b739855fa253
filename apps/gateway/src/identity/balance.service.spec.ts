import { createLogger, Metrics, readSettings } from '@ssb/platform';
import { startScriptedServer, waitFor, type Reply, type ScriptedServer } from '@ssb/testing/in-process';
import { definition } from '../settings.js';
import { BalanceService, toBalanceLevel } from './balance.service.js';

const ADDRESS = '0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf';
const OTHER_ADDRESS = '0x2B5AD5c4795c026514f8317c7a215E218DcCD6cF';

/** A JSON-RPC server in the place of an EVM node. */
let node: ScriptedServer;
let lines: string[];
const opened: BalanceService[] = [];

beforeEach(async () => {
  node = await startScriptedServer();
  lines = [];
});

afterEach(async () => {
  for (const each of opened.splice(0)) await each.onApplicationShutdown();
  await node.stop();
});

function open(settings: Readonly<Record<string, string>>): BalanceService {
  const stream = { write: (line: string) => void lines.push(line) };
  const log = createLogger({ name: 'test', level: 'warn', format: 'json', stream });
  const service = new BalanceService(readSettings(definition, settings), log, new Metrics());
  opened.push(service);
  return service;
}

const openAtNode = (settings: Readonly<Record<string, string>>) =>
  open({ BALANCE_RPC_URL: `${node.url}/the-key-of-the-operator`, ...settings });

const balance = (result: unknown, more: object = {}): Reply => ({
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, result, ...more }),
});

it.each([
  [0n, 'NONE'],
  [9n, 'NONE'],
  [10n, 'LOW'],
  [99n, 'LOW'],
  [100n, 'OK'],
  [2n ** 256n - 1n, 'OK'],
])('the level of %s wei is %s', (wei, level) => {
  expect(toBalanceLevel(wei, { noneBelow: 10n, okFrom: 100n })).toBe(level);
});

it('without a node the balance is the setting', async () => {
  for (const level of ['NONE', 'LOW', 'OK'])
    expect(await open({ IDENTITY_BALANCE: level }).getBalance(ADDRESS)).toBe(level);
});

it('is the level of eth_getBalance at the latest block, until the node fails, and NONE for another identity', async () => {
  let wei = 999n;
  node.respond = () => balance(`0x${wei.toString(16)}`);
  const service = openAtNode({
    BALANCE_NONE_BELOW_WEI: '1000',
    BALANCE_OK_FROM_WEI: '2000000000000000000',
    BALANCE_REFRESH_MS: '50',
  });
  expect(await service.getBalance(ADDRESS)).toBe('NONE');
  expect(JSON.parse(node.received[0]?.body ?? '')).toEqual({
    ...{ jsonrpc: '2.0', id: 1, method: 'eth_getBalance' },
    params: [ADDRESS, 'latest'],
  });
  for (const [amount, level] of [
    [1_000n, 'LOW'],
    [2_000_000_000_000_000_000n, 'OK'],
  ] as const) {
    wei = amount;
    await waitFor(level, async () => (await service.getBalance(ADDRESS)) === level);
  }
  await node.stop();
  await waitFor('a request fails', async () => {
    expect(await service.getBalance(ADDRESS)).toBe('OK');
    return lines.join().includes('the node cannot be reached');
  });
  expect(await service.getBalance(OTHER_ADDRESS)).toBe('NONE');
  node = await startScriptedServer();
});

it('is requested once for parallel reads, and again for another identity', async () => {
  node.respond = () => balance('0x0');
  const service = openAtNode({ BALANCE_REFRESH_MS: '3600000' });
  await Promise.all(Array.from({ length: 20 }, () => service.getBalance(ADDRESS)));
  expect(node.received).toHaveLength(1);
  await service.getBalance(OTHER_ADDRESS);
  expect(node.received).toHaveLength(2);
});

it('is NONE after a malformed response, whose reason is logged without the address of the node', async () => {
  for (const [reply, reason] of [
    [balance(undefined, { error: { code: -32_601, message: 'no' } }), 'is not a balance'],
    [balance('0xffffffffffffffffff', { id: 2 }), 'is not a balance'],
    [balance(10 ** 20), 'is not a balance'],
    [balance('-0x1'), 'is not a balance'],
    [balance(`0x${'f'.repeat(65)}`), 'is not a balance'],
    [{ body: '<html>' }, 'is not a balance'],
    [{ body: ' '.repeat(20_000) }, 'larger than 16384 bytes'],
    [{ status: 401 }, 'responded with status 401'],
    [undefined, 'no response within 500 ms'],
  ] as const) {
    node.respond = () => reply;
    // Otherwise longer than any response takes on a busy machine.
    const timeoutMs = reply === undefined ? '500' : '30000';
    expect(await openAtNode({ BALANCE_TIMEOUT_MS: timeoutMs }).getBalance(ADDRESS)).toBe('NONE');
    expect(lines.at(-1)).toContain(reason);
  }
  expect(lines.join()).not.toContain('the-key-of-the-operator');
});

it('needs thresholds that do not contradict each other', () => {
  const thresholds = { BALANCE_NONE_BELOW_WEI: '2', BALANCE_OK_FROM_WEI: '1' };
  expect(() => open(thresholds)).toThrow(/BALANCE_OK_FROM_WEI must not be less/);
});
