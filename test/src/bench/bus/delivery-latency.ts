import { setTimeout as pause } from 'node:timers/promises';
import { GatewayStream, type GatewayClient } from '@ssb/bus';
import { waitFor } from '@ssb/testing';
import { GATEWAY_USER } from '@ssb/tools';
import type { BusGateway } from '../../harness/running-bus.js';
import { percentile } from '../statistics.js';
import { messageOn, type Figures } from './bench-messages.js';

export interface Delivery {
  /** Milliseconds from the publisher's request to the subscriber's socket. */
  readonly p50: number;
  readonly p99: number;
}

const QUIET_MS = 300;

/** A subscriber's socket that notes how long each message of a channel was on its way. It has both channels, as a real one would. */
export class Receiver {
  private readonly latencies = new Map<string, number[]>();
  private readonly stream: GatewayStream;
  private connected = false;

  constructor({ url, password }: BusGateway, clientId: string) {
    this.stream = new GatewayStream({
      url,
      username: GATEWAY_USER,
      password,
      clientId,
      window: 1_000,
      onMessages: (batch, acknowledge) => {
        const now = performance.now();
        for (const { fqcn, payload } of batch)
          this.of(fqcn).push(now - (JSON.parse(payload) as Figures).sentAt);
        acknowledge(batch.map(({ id }) => id));
      },
      onState: ({ state }) => (this.connected = state === 'connected'),
    });
  }

  async start(): Promise<void> {
    this.stream.start();
    await waitFor('the connection of the receiver', () => this.connected, 10_000);
  }

  stop(): Promise<void> {
    return this.stream.stop();
  }

  /** Forgets what came on the channel. */
  clear(fqcn: string): void {
    this.of(fqcn).length = 0;
  }

  /** Waits until nothing has come for a while: what was published before has arrived. */
  async drained(): Promise<void> {
    let before = -1;
    while (before !== this.count) {
      before = this.count;
      await pause(QUIET_MS);
    }
  }

  /** Waits for so many messages of the channel. */
  async received(fqcn: string, total: number): Promise<Delivery> {
    const latencies = this.of(fqcn);
    await waitFor(
      () => `${total} messages of ${fqcn}, ${latencies.length} of which arrived`,
      () => latencies.length >= total,
    );
    return { p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99) };
  }

  private get count(): number {
    return [...this.latencies.values()].reduce((sum, latencies) => sum + latencies.length, 0);
  }

  private of(fqcn: string): number[] {
    const known = this.latencies.get(fqcn) ?? [];
    this.latencies.set(fqcn, known);
    return known;
  }
}

/** Publishes at a steady rate, without waiting for answers in between, until `total` are sent or `goOn` says no. */
export async function publishSteadily(
  client: GatewayClient,
  fqcn: string,
  { perSecond, total, goOn = () => true }: { perSecond: number; total: number; goOn?: () => boolean },
): Promise<number> {
  const began = performance.now();
  const answers: Promise<unknown>[] = [];
  while (answers.length < total && goOn()) {
    const due = Math.min(total, Math.floor(((performance.now() - began) / 1000) * perSecond) + 1);
    while (answers.length < due) answers.push(client.sendMessage(messageOn(fqcn, answers.length)));
    await pause(1);
  }
  await Promise.all(answers);
  return answers.length;
}
