import type { BusEngine } from '../../harness/running-bus.js';
import type { Section } from '../section.js';
import { idleClients } from './idle-clients.js';
import { LoadGenerator } from './load-generator/load-generator.js';
import { ENGINES, type BusFigures, type BusRun, type EngineRun } from './bus-figures.js';
import { FRESH, MeasuredBus } from './measured-bus.js';
import { Peer } from '../peer-process.js';
import { IN_FLIGHT, publishAtPeer, publishOnBus, together, type Published, type Turn } from './publish.js';
import { appendAlone, signaturesAlone } from './baselines/baselines.js';
import { renderBus } from './report.js';

const IDLE_CLIENTS = 1_000;
const APPENDS = 30_000;
const SIGNATURES = 5_000;
/** How often those who are compared take turns within a run, so that what else the machine does meets all of them. */
const TURNS = 5;

/** The message bus by itself on both engines, every part a process. */
export const bus: Section = {
  name: 'bus',
  about: 'messages through gateway and broker, and what engine, web server and signatures do alone',
  async run({ runs, requests }, say, stops) {
    const started = <T extends { stop(): Promise<void> }>(what: T): T => {
      stops.add(() => what.stop());
      return what;
    };
    const load = started(new LoadGenerator());
    const buses = {
      redis: started(await MeasuredBus.start('redis')),
      nats: started(await MeasuredBus.start('nats')),
    };
    const peers = { fastify: started(await Peer.start('fastify')), nest: started(await Peer.start('nest')) };
    const publishers = {
      redis: (total: number) => publishOnBus(load, buses.redis.running, total),
      nats: (total: number) => publishOnBus(load, buses.nats.running, total),
      nest: (total: number) => publishAtPeer(load, peers.nest, total),
      fastify: (total: number) => publishAtPeer(load, peers.fastify, total),
    };
    say('warming up …');
    for (const publish of Object.values(publishers)) await publish(requests / 2);

    const measured: BusRun[] = [];
    for (let run = 1; run <= runs; run += 1) {
      const tell = (what: string): void => say(`run ${run} of ${runs}: ${what} …`);
      tell(`${requests} messages on each engine and at each peer, ${IN_FLIGHT} in flight`);
      const published = await byTurns(publishers, requests);
      const of = async (engine: BusEngine): Promise<EngineRun> => {
        tell(`${engine}: delivery`);
        const deliveries = await buses[engine].deliveries(load);
        tell(`${engine}: the engine alone`);
        const append = await appendAlone(buses[engine].running, APPENDS, IN_FLIGHT);
        return { published: published[engine], deliveries, append };
      };
      const engines = { redis: await of('redis'), nats: await of('nats') };
      const { fastify, nest } = published;
      measured.push({ engines, fastify, nest, signatures: signaturesAlone(SIGNATURES) });
    }
    say(`${IDLE_CLIENTS} idle clients …`);
    const idle = [
      await idleClients(buses.redis.running.gateway(FRESH), IDLE_CLIENTS),
      await idleClients(buses.redis.running.gateway('subscriber'), IDLE_CLIENTS),
    ];
    const figures: BusFigures = {
      runs: measured,
      messages: requests,
      idle,
      memory: ENGINES.flatMap((engine) => buses[engine].memory()),
    };
    return { figures, report: renderBus(figures) };
  },
};

async function byTurns<Name extends string>(
  publishers: Readonly<Record<Name, (total: number) => Promise<Turn>>>,
  total: number,
): Promise<Record<Name, Published>> {
  const names = Object.keys(publishers) as Name[];
  const turns = new Map<Name, Turn[]>(names.map((name) => [name, []]));
  for (let turn = 0; turn < TURNS; turn += 1)
    for (const name of names) turns.get(name)?.push(await publishers[name](Math.ceil(total / TURNS)));
  return Object.fromEntries(names.map((name) => [name, together(turns.get(name) ?? [])])) as Record<
    Name,
    Published
  >;
}
