import type { GatewayClient } from '@ssb/bus';
import type { LoadResult } from '../load.js';
import { percentile } from '../statistics.js';
import { messageOn } from './channels.js';

export const IN_FLIGHT = 64;

/** Publishes so many messages through a gateway, 64 in flight; each is durable at the broker when it is answered. */
export async function publish(client: GatewayClient, fqcn: string, total: number): Promise<LoadResult> {
  const latencies: number[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < total) {
      const message = messageOn(fqcn, next++);
      const began = performance.now();
      await client.sendMessage(message);
      latencies.push(performance.now() - began);
    }
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
  const seconds = (performance.now() - began) / 1000;
  return { perSecond: total / seconds, p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99) };
}
