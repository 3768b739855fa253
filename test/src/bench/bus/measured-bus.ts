import type { GatewayClient } from '@ssb/bus';
import { type BusEngine, RunningBus } from '../../harness/running-bus.js';
import { type MemoryUsage, readMemoryUsage } from '../process-usage.js';
import { reduced, type BenchOptions } from '../section.js';
import { BUSY_CHANNEL, createChannels, QUIET_CHANNEL } from './bench-messages.js';
import { type DeliveryLatency, LatencyReceiver, publishAtRate } from './delivery-latency.js';
import type { LoadGenerator } from './load-generator/load-generator.js';
import { IN_FLIGHT, toPostTarget } from './publish.js';

interface Rate {
  readonly perSecond: number;
  readonly total: number;
}

const STEADY_RATE: Rate = { perSecond: 500, total: 2_500 };
const QUIET_RATE: Rate = { perSecond: 50, total: 200 };

/** Name of a gateway that handles no messages. */
export const UNUSED_GATEWAY = 'unused';

export interface DeliveryFigures {
  readonly steady: DeliveryLatency;
  /** Latency of a quiet channel while the other channel is idle. */
  readonly quiet: DeliveryLatency;
  /** Latency of a quiet channel while the other channel is flooded. */
  readonly quietBesideBusy: DeliveryLatency;
}

/** A bus on one engine with a publisher and a subscriber: publisher → gateway → broker → gateway → subscriber. */
export class MeasuredBus {
  private constructor(
    readonly engine: BusEngine,
    readonly running: RunningBus,
    private readonly client: GatewayClient,
    private readonly receiver: LatencyReceiver,
  ) {}

  static async start(engine: BusEngine): Promise<MeasuredBus> {
    const running = await RunningBus.start({ engine, gateways: ['publisher', 'subscriber', UNUSED_GATEWAY] });
    try {
      await createChannels(running, 'publisher', 'subscriber');
    } catch (error) {
      await running.stop();
      throw error;
    }
    const receiver = new LatencyReceiver(running.gateway('subscriber'), 'bench');
    return new MeasuredBus(engine, running, running.createClient('publisher', IN_FLIGHT), receiver);
  }

  async stop(): Promise<void> {
    await this.receiver.stop();
    await this.client.close();
    await this.running.stop();
  }

  /** @param load floods the busy channel */
  async measureDeliveries(
    load: LoadGenerator,
    options: Pick<BenchOptions, 'divisor'>,
  ): Promise<DeliveryFigures> {
    const reduce = (rate: Rate): Rate => ({ ...rate, total: reduced(rate.total, options) });
    const [steadyRate, quietRate] = [reduce(STEADY_RATE), reduce(QUIET_RATE)];
    await this.receiver.start();
    try {
      // Messages of earlier measurements arrive first.
      await this.receiver.waitUntilDrained();
      const steady = await this.measureDelivery(BUSY_CHANNEL, steadyRate);
      const quiet = await this.measureDelivery(QUIET_CHANNEL, quietRate);
      const quietBesideBusy = await this.measureQuietBesideBusy(load, quietRate);
      await this.receiver.waitUntilDrained();
      return { steady, quiet, quietBesideBusy };
    } finally {
      await this.receiver.stop();
    }
  }

  readMemory(): MemoryUsage[] {
    const { brokers, gateways } = this.running;
    return readMemoryUsage([
      ...brokers.map(({ name, pid }) => ({ name: `${name}, ${this.engine}`, pid })),
      ...gateways
        .filter(({ name }) => name !== UNUSED_GATEWAY)
        .map(({ name, process }) => ({ name: `gateway ${name}, ${this.engine}`, pid: process.pid })),
    ]);
  }

  private async measureQuietBesideBusy(load: LoadGenerator, rate: Rate): Promise<DeliveryLatency> {
    const stopFlood = load.flood(toPostTarget(this.running.gateway('publisher')), IN_FLIGHT);
    try {
      return await this.measureDelivery(QUIET_CHANNEL, rate);
    } finally {
      await stopFlood();
    }
  }

  private async measureDelivery(fqcn: string, rate: Rate): Promise<DeliveryLatency> {
    this.receiver.clear(fqcn);
    await publishAtRate(this.client, fqcn, rate);
    return this.receiver.waitForMessages(fqcn, rate.total);
  }
}
