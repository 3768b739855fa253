import { generatePrivateKey, recoverSigner, signMessage } from '@ssb/identity';
import { Redis } from 'ioredis';
import type { RunningBus } from '../../../harness/running-bus.js';
import { createPayloads, measureRate, signPayloads } from '../../signatures/signed-payloads.js';
import { BUSY_CHANNEL, createMessage } from '../bench-messages.js';
import { measureJetStreamAppends } from './jetstream-baseline.js';

const STREAM = 'bench:append-alone';

/** Appends per second of the engine without the bus, with the payload of a message. */
export function measureAppends(
  { engine, options }: RunningBus,
  total: number,
  inFlight: number,
): Promise<number> {
  const { payload } = createMessage(BUSY_CHANNEL, 0);
  return options.engine === 'nats'
    ? measureJetStreamAppends(engine.port, payload, total, inFlight)
    : measureRedisAppends(engine.url, payload, total, inFlight);
}

async function measureRedisAppends(
  url: string,
  payload: string,
  total: number,
  inFlight: number,
): Promise<number> {
  const redis = new Redis(url);
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next++ < total) await redis.xadd(STREAM, 'MAXLEN', '~', '10000', '*', 'payload', payload);
  };
  try {
    const started = performance.now();
    await Promise.all(Array.from({ length: inFlight }, worker));
    return total / ((performance.now() - started) / 1000);
  } finally {
    await redis.del(STREAM);
    await redis.quit();
  }
}

export interface SignatureRates {
  /** Signed payloads per second on one thread. */
  readonly sign: number;
  /** Recovered signer addresses per second on one thread. */
  readonly recover: number;
}

export function measureSignatures(total: number): SignatureRates {
  const key = generatePrivateKey();
  const payloads = createPayloads(total);
  const signedPayloads = signPayloads(payloads, key);
  return {
    sign: measureRate(payloads, (payload) => signMessage(payload, key)),
    recover: measureRate(signedPayloads, ({ payload, signature }) => recoverSigner(payload, signature)),
  };
}
