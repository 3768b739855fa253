import { type PrivateKey, signMessage } from '@ssb/identity';

/** A payload with its signature in the scheme `eip191`. */
export interface SignedPayload {
  readonly payload: string;
  readonly signature: string;
}

/** Different payloads of 1,000 bytes, so that no cache helps. */
export function createPayloads(count: number): string[] {
  return Array.from({ length: count }, (_, index) =>
    `{"sequence":${index},"data":"${'settlement '.repeat(100)}`.slice(0, 998).concat('"}'),
  );
}

export function signPayloads(payloads: readonly string[], key: PrivateKey): SignedPayload[] {
  return payloads.map((payload) => ({ payload, signature: signMessage(payload, key) }));
}

/** Operations per second on one thread, one per input. */
export function measureRate<T>(inputs: readonly T[], operation: (input: T) => unknown): number {
  const started = performance.now();
  for (const input of inputs) operation(input);
  return inputs.length / ((performance.now() - started) / 1000);
}
