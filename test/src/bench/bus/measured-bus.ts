import type { GatewayClient } from '@ssb/bus';
import { RunningBus, type BusEngine } from '../../harness/running-bus.js';
import { memoryOf, type Memory } from '../process-usage.js';
import { BUSY, makeChannels, QUIET } from './bench-messages.js';
import { publishSteadily, Receiver, type Delivery } from './delivery-latency.js';
import type { LoadGenerator } from './load-generator/load-generator.js';
import { atGateway, IN_FLIGHT } from './publish.js';

const STEADY = { perSecond: 500, total: 2_500 };
const QUIETLY = { perSecond: 50, total: 200 };

/** A gateway that has nothing to do with the messages. */
export const FRESH = 'fresh';

export interface Deliveries {
  readonly steady: Delivery;
  /** A quiet channel's delivery by itself, and beside a channel that is published on as fast as it goes. */
  readonly quiet: Delivery;
  readonly quietBesideBusy: Delivery;
}

/** A bus on one engine, with a publisher and a subscriber: publisher → gateway → broker → gateway → subscriber. */
export class MeasuredBus {
  private constructor(
    readonly engine: BusEngine,
    readonly running: RunningBus,
    private readonly client: GatewayClient,
    private readonly receiver: Receiver,
  ) {}

  static async start(engine: BusEngine): Promise<MeasuredBus> {
    const running = await RunningBus.start({ engine, gateways: ['publisher', 'subscriber', FRESH] });
    try {
      await makeChannels(running, 'publisher', 'subscriber');
    } catch (error) {
      await running.stop();
      throw error;
    }
    const receiver = new Receiver(running.gateway('subscriber'), 'bench');
    return new MeasuredBus(engine, running, running.client('publisher', IN_FLIGHT), receiver);
  }

  async stop(): Promise<void> {
    await this.receiver.stop();
    await this.client.close();
    await this.running.stop();
  }

  /** @param load publishes on the busy channel, from a process of its own */
  async deliveries(load: LoadGenerator): Promise<Deliveries> {
    await this.receiver.start();
    try {
      // What was published meanwhile is caught up with, outside of what is measured.
      await this.receiver.drained();
      const steady = await this.deliver(BUSY, STEADY);
      const quiet = await this.deliver(QUIET, QUIETLY);
      const quietBesideBusy = await this.quietBeside(load);
      await this.receiver.drained();
      return { steady, quiet, quietBesideBusy };
    } finally {
      await this.receiver.stop();
    }
  }

  private async quietBeside(load: LoadGenerator): Promise<Delivery> {
    const quieten = load.flood(atGateway(this.running.gateway('publisher')), IN_FLIGHT);
    try {
      return await this.deliver(QUIET, QUIETLY);
    } finally {
      await quieten();
    }
  }

  memory(): Memory[] {
    const { brokers, gateways } = this.running;
    return memoryOf([
      ...brokers.map(({ name, pid }) => ({ name: `${name}, ${this.engine}`, pid })),
      ...gateways
        .filter(({ name }) => name !== FRESH)
        .map(({ name, process }) => ({ name: `gateway ${name}, ${this.engine}`, pid: process.pid })),
    ]);
  }

  private async deliver(fqcn: string, rate: { perSecond: number; total: number }): Promise<Delivery> {
    this.receiver.clear(fqcn);
    const sent = await publishSteadily(this.client, fqcn, rate);
    return this.receiver.received(fqcn, sent);
  }
}
