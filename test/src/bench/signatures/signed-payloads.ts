import { generatePrivateKey, signMessage, type PrivateKey } from '@ssb/identity';

/** A payload, and its signature in the scheme `eip191`. */
export interface SignedPayload {
  readonly payload: string;
  readonly signature: string;
}

/** As many different payloads of 1,000 bytes, so that nothing can be answered from memory. */
export function payloads(count: number): string[] {
  return Array.from({ length: count }, (_, at) =>
    `{"sequence":${at},"data":"${'settlement '.repeat(100)}`.slice(0, 998).concat('"}'),
  );
}

export function signed(texts: readonly string[], key: PrivateKey = generatePrivateKey()): SignedPayload[] {
  return texts.map((payload) => ({ payload, signature: signMessage(payload, key) }));
}
