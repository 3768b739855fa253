import { generatePrivateKey, recoverSigner, signMessage } from '@ssb/identity';
import { Redis } from 'ioredis';
import type { RunningBus } from '../../../harness/running-bus.js';
import { payloads, signed } from '../../signatures/signed-payloads.js';
import { BUSY, messageOn } from '../bench-messages.js';
import { jetStreamAlone } from './jetstream-baseline.js';

const STREAM = 'bench:append-alone';

/** Appends a second of the bus's engine alone: the payload of a message, so many in flight. */
export function appendAlone({ engine, shape }: RunningBus, total: number, inFlight: number): Promise<number> {
  const { payload } = messageOn(BUSY, 0);
  return shape.engine === 'nats'
    ? jetStreamAlone(engine.port, payload, total, inFlight)
    : redisAlone(engine.url, payload, total, inFlight);
}

async function redisAlone(url: string, payload: string, total: number, inFlight: number): Promise<number> {
  const redis = new Redis(url);
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next++ < total) await redis.xadd(STREAM, 'MAXLEN', '~', '10000', '*', 'payload', payload);
  };
  try {
    const began = performance.now();
    await Promise.all(Array.from({ length: inFlight }, worker));
    return total / ((performance.now() - began) / 1000);
  } finally {
    await redis.del(STREAM);
    await redis.quit();
  }
}

export interface SignatureLimits {
  /** Payloads a second that one thread signs. */
  readonly sign: number;
  /** Texts with their signatures a second of which one thread finds the signer's address. */
  readonly recover: number;
}

export function signaturesAlone(total: number): SignatureLimits {
  const key = generatePrivateKey();
  const texts = payloads(total);
  const all = signed(texts, key);
  return {
    sign: perSecond(texts, (text) => signMessage(text, key)),
    recover: perSecond(all, ({ payload, signature }) => recoverSigner(payload, signature)),
  };
}

function perSecond<T>(inputs: readonly T[], each: (input: T) => unknown): number {
  const began = performance.now();
  for (const input of inputs) each(input);
  return inputs.length / ((performance.now() - began) / 1000);
}
