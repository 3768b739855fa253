import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { isDeepStrictEqual } from 'node:util';

/** An EVM node that knows balances, as `eth_getBalance` of the Ethereum JSON-RPC specification describes it. */
export interface TestEvmNode {
  readonly url: string;
  setBalance(address: string, wei: bigint): void;
  stop(): Promise<void>;
}

export async function startEvmNode(): Promise<TestEvmNode> {
  const balances = new Map<string, bigint>();
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const call = (await json(request)) as { id: number; params: [address: string, block: string] };
    const [address] = call.params;
    const expected = { jsonrpc: '2.0', id: call.id, method: 'eth_getBalance', params: [address, 'latest'] };
    const isValid =
      request.headers['content-type'] === 'application/json' &&
      /^0x[0-9a-fA-F]{40}$/.test(address) &&
      isDeepStrictEqual(call, expected);
    const balance = balances.get(address.toLowerCase()) ?? 0n;
    const outcome = isValid
      ? { result: `0x${balance.toString(16)}` }
      : { error: { code: -32_602, message: 'invalid params' } };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ jsonrpc: '2.0', id: call.id, ...outcome }));
  };
  const server = createServer((request, response) => void respond(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    setBalance: (address, wei) => void balances.set(address.toLowerCase(), wei),
    stop: async () => {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
