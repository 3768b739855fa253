import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { generatePrivateKey, recoverSigner, signMessage } from '@ssb/identity';
import { Redis } from 'ioredis';
import { Pool } from 'undici';
import { load, type LoadResult } from '../load.js';
import { BUSY, messageOn } from './channels.js';
import { IN_FLIGHT } from './publish.js';

/** Appends a second of the engine alone: the same payload onto a Redis stream, 64 in flight. */
export async function appendAlone(redisUrl: string, total: number): Promise<number> {
  const redis = new Redis(redisUrl);
  const { payload } = messageOn(BUSY, 0);
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next++ < total)
      await redis.xadd('bench:append-alone', 'MAXLEN', '~', '10000', '*', 'payload', payload);
  };
  try {
    const began = performance.now();
    await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
    return total / ((performance.now() - began) / 1000);
  } finally {
    await redis.del('bench:append-alone');
    await redis.quit();
  }
}

export type Peer = 'fastify' | 'nest';

/** The same request taken by a server that does nothing with it: Fastify alone, or Nest on Fastify with the message checked. */
export async function postAlone(peer: Peer, total: number): Promise<LoadResult> {
  const child = fork(fileURLToPath(new URL('./post-server.js', import.meta.url)), [peer], {
    stdio: 'inherit',
  });
  const ended = once(child, 'exit');
  try {
    const [{ port }] = (await Promise.race([once(child, 'message'), failed(ended)])) as [{ port: number }];
    const origin = `http://127.0.0.1:${port}`;
    const client = new Pool(origin, { connections: IN_FLIGHT });
    const request = (number: number) => ({
      client,
      origin,
      path: '/api/v1/message',
      method: 'POST' as const,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(messageOn(BUSY, number)),
    });
    await load(request, total / 4, IN_FLIGHT);
    const result = await load(request, total, IN_FLIGHT);
    await client.close();
    return result;
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}

async function failed(ended: Promise<unknown[]>): Promise<never> {
  const [status] = await ended;
  throw new Error(`the peer ended with ${String(status)}`);
}

/** Messages a second that one thread signs, and whose signer it recovers. */
export function signAndRecoverAlone(total: number): number {
  const key = generatePrivateKey();
  const { payload } = messageOn(BUSY, 0);
  const began = performance.now();
  for (let number = 0; number < total; number += 1)
    recoverSigner(payload, signMessage(payload, key, 'eip191'), 'eip191');
  return total / ((performance.now() - began) / 1000);
}
