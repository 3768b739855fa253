import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { freePort } from '@ssb/dev/free-ports';
import { request } from 'undici';
import { waitFor } from '@ssb/testing';

const PROGRAM = resolve('node_modules/ganache/dist/node/cli.js');

/** A local EVM node with its own chain, in a process of its own. */
export interface TestEvmNode {
  readonly url: string;
  setBalance(address: string, wei: bigint): Promise<void>;
  stop(): Promise<void>;
}

export async function startEvmNode(): Promise<TestEvmNode> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const args = ['--server.host', '127.0.0.1', '--server.port', String(port), '--wallet.totalAccounts', '1'];
  const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: 'ignore' });
  const send = async (method: string, params: readonly unknown[]): Promise<boolean> => {
    const { body } = await request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    return 'result' in ((await body.json()) as object);
  };
  try {
    await waitFor(
      'the EVM node answers',
      () => child.exitCode === null && send('eth_chainId', []).catch(() => false),
      30_000,
    );
  } catch (error) {
    await end(child);
    throw error;
  }
  return {
    url,
    setBalance: async (address, wei) => {
      const set = await send('evm_setAccountBalance', [address, `0x${wei.toString(16)}`]);
      if (!set) throw new Error('the EVM node did not set the balance');
    },
    stop: () => end(child),
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
