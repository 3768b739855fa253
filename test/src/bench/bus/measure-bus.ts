import { RunningBus } from '../../harness/running-bus.js';
import { memoryOf, type Memory } from '../memory.js';
import type { LoadResult } from '../load.js';
import type { Section } from '../section.js';
import { BUSY, makeChannels, QUIET } from './channels.js';
import { publishSteadily, Receiver, type Delivery } from './delivery.js';
import { idleClients } from './idle-clients.js';
import { IN_FLIGHT, publish } from './publish.js';
import { appendAlone, postAlone, signAndRecoverAlone } from './raw-limits.js';
import { renderBus } from './report.js';

const PER_SECOND = 500;
const STEADY = 2_500;
const IDLE_CLIENTS = 1_000;

/** One run: what the bus does, and its raw limits right after. */
export interface BusRun {
  readonly published: LoadResult;
  readonly delivery: Delivery;
  /** A quiet channel's delivery by itself, and beside a channel that is published on as fast as it goes. */
  readonly quiet: Delivery;
  readonly quietBesideBusy: Delivery;
  readonly append: number;
  readonly fastify: number;
  readonly nest: number;
  readonly signAndRecover: number;
}

export interface BusFigures {
  readonly runs: readonly BusRun[];
  readonly messages: number;
  readonly idle: { readonly before: Memory; readonly with: Memory; readonly clients: number };
  readonly memory: readonly Memory[];
}

/** The message bus by itself: publisher → gateway → broker → gateway → subscriber, every one a process. */
export const bus: Section = {
  name: 'bus',
  about: 'messages through gateway and broker, and what engine, web server and signatures do alone',
  async run({ runs, requests }, say, stops) {
    const running = await RunningBus.start({ gateways: ['publisher', 'subscriber'] });
    stops.add(() => running.stop());
    await makeChannels(running, 'publisher', 'subscriber');
    const client = running.client('publisher', IN_FLIGHT);
    stops.add(() => client.close());
    const receiver = new Receiver(running.gateway('subscriber'), 'bench');
    stops.add(() => receiver.stop());
    await publish(client, BUSY, requests / 4);
    await publishSteadily(client, QUIET, { perSecond: 50, total: 50 });

    const measured: BusRun[] = [];
    for (let run = 1; run <= runs; run += 1) {
      const tell = (what: string): void => say(`run ${run} of ${runs}: ${what} …`);
      tell(`${requests} messages, ${IN_FLIGHT} in flight`);
      const published = await publish(client, BUSY, requests);
      await receiver.start();
      // What was published meanwhile is caught up with, outside of what is measured.
      await receiver.drained();
      tell(`${STEADY} messages at ${PER_SECOND} a second`);
      const delivery = await steady(BUSY, PER_SECOND, STEADY);
      tell('a quiet channel beside a busy one');
      const quiet = await steady(QUIET, 20, 60);
      const quietBesideBusy = await besideBusy();
      await receiver.drained();
      await receiver.stop();
      tell('engine, web servers and signatures alone');
      measured.push({
        published,
        delivery,
        quiet,
        quietBesideBusy,
        append: await appendAlone(running.redis.url, 50_000),
        fastify: (await postAlone('fastify', requests)).perSecond,
        nest: (await postAlone('nest', requests)).perSecond,
        signAndRecover: signAndRecoverAlone(2_000),
      });
    }
    say(`${IDLE_CLIENTS} idle clients …`);
    const idle = await idleClients(running.gateway('subscriber'), IDLE_CLIENTS);
    const processes = [
      ...running.brokers.map(({ name, pid }) => ({ name, pid })),
      ...running.gateways.map(({ name, process }) => ({ name, pid: process.pid })),
    ];
    const figures: BusFigures = {
      runs: measured,
      messages: requests,
      idle: { ...idle, clients: IDLE_CLIENTS },
      memory: memoryOf(processes),
    };
    return { figures, report: renderBus(figures) };

    async function steady(fqcn: string, perSecond: number, total: number): Promise<Delivery> {
      receiver.clear(fqcn);
      const sent = await publishSteadily(client, fqcn, { perSecond, total });
      return receiver.received(fqcn, sent);
    }

    async function besideBusy(): Promise<Delivery> {
      let busy = true;
      const flood = (async () => {
        while (busy) await publish(client, BUSY, 500);
      })();
      const delivery = await steady(QUIET, 20, 60);
      busy = false;
      await flood;
      return delivery;
    }
  },
};
