import { waitFor } from '@ssb/testing';
import type { RunningSystem } from '../../harness/running-system.js';
import { percentile } from '../statistics.js';

export interface Latency {
  /** Milliseconds from the poller holding the changed snapshot (`detectedat`) to the webhook's receiver holding the alert. */
  readonly p50: number;
  readonly p99: number;
  readonly samples: number;
}

/** One margin change after the other on an otherwise idle system: each waits for the one before to have arrived. */
export async function measureLatency({ market, sink }: RunningSystem, samples: number): Promise<Latency> {
  const latencies: number[] = [];
  for (let at = 0; at < samples; at += 1) {
    const before = sink.deliveries.length;
    await market.publishMargin(at % 2 === 0 ? '-1.00' : '900000.00');
    await waitFor(`margin change ${at + 1}`, () => sink.deliveries.length > before, 15_000);
    const delivery = sink.deliveries.at(-1);
    const { detectedat } = JSON.parse(delivery?.body ?? '{}') as { detectedat: string };
    latencies.push((delivery?.receivedAt ?? NaN) - Date.parse(detectedat));
  }
  return { p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99), samples };
}
