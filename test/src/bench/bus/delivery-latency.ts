import { type GatewayClient, GatewayStream } from '@ssb/bus';
import { waitFor } from '@ssb/testing';
import { GATEWAY_USER } from '@ssb/tools';
import { setTimeout as delay } from 'node:timers/promises';
import type { BusGateway } from '../../harness/running-bus.js';
import { percentile } from '../figures.js';
import { type BenchPayload, createMessage } from './bench-messages.js';

export interface DeliveryLatency {
  /** Milliseconds from the publisher's request to the subscriber's socket. */
  readonly p50: number;
  readonly p99: number;
}

const DRAIN_INTERVAL_MS = 300;

/** A subscriber of both channels that measures the latency of each message. */
export class LatencyReceiver {
  private readonly latenciesByChannel = new Map<string, number[]>();
  private readonly stream: GatewayStream;
  private connected = false;

  constructor({ url, password }: BusGateway, clientId: string) {
    this.stream = new GatewayStream({
      url,
      username: GATEWAY_USER,
      password,
      delivery: { mode: 'acknowledged', clientId, window: 1_000 },
      onMessages: (batch, acknowledge) => {
        const now = performance.now();
        for (const { fqcn, payload } of batch)
          this.latenciesOf(fqcn).push(now - (JSON.parse(payload) as BenchPayload).sentAt);
        acknowledge(batch.map(({ id }) => id));
      },
      onState: ({ state }) => (this.connected = state === 'connected'),
      onFault: () => undefined,
    });
  }

  async start(): Promise<void> {
    this.stream.start();
    await waitFor('the connection of the receiver', () => this.connected);
  }

  stop(): Promise<void> {
    return this.stream.stop();
  }

  /** Forgets the latencies of the channel. */
  clear(fqcn: string): void {
    this.latenciesOf(fqcn).length = 0;
  }

  /** Waits until no further messages arrive. */
  async waitUntilDrained(): Promise<void> {
    let before = -1;
    while (before !== this.count) {
      before = this.count;
      await delay(DRAIN_INTERVAL_MS);
    }
  }

  /** Waits until `total` messages of the channel have arrived. */
  async waitForMessages(fqcn: string, total: number): Promise<DeliveryLatency> {
    const latencies = this.latenciesOf(fqcn);
    await waitFor(
      () => `${total} messages of ${fqcn}, ${latencies.length} of which arrived`,
      () => latencies.length >= total,
    );
    return { p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99) };
  }

  private get count(): number {
    return [...this.latenciesByChannel.values()].reduce((sum, latencies) => sum + latencies.length, 0);
  }

  private latenciesOf(fqcn: string): number[] {
    const latencies = this.latenciesByChannel.get(fqcn) ?? [];
    this.latenciesByChannel.set(fqcn, latencies);
    return latencies;
  }
}

/** Publishes at a constant rate without waiting for responses. */
export async function publishAtRate(
  client: GatewayClient,
  fqcn: string,
  { perSecond, total }: { perSecond: number; total: number },
): Promise<void> {
  const started = performance.now();
  const responses: Promise<unknown>[] = [];
  while (responses.length < total) {
    const due = Math.min(total, Math.floor(((performance.now() - started) / 1000) * perSecond) + 1);
    while (responses.length < due) responses.push(client.sendMessage(createMessage(fqcn, responses.length)));
    await delay(1);
  }
  await Promise.all(responses);
}
