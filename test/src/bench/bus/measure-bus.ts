import type { BusEngine } from '../../harness/running-bus.js';
import { startPeer } from '../peer-process.js';
import { reduced, type Section } from '../section.js';
import { measureAppends, measureSignatures } from './baselines/baselines.js';
import { measureIdleClients } from './idle-clients.js';
import { LoadGenerator } from './load-generator/load-generator.js';
import { MeasuredBus, UNUSED_GATEWAY } from './measured-bus.js';
import {
  IN_FLIGHT,
  publishAtPeer,
  type PublishFigures,
  publishOnBus,
  type PublishRound,
  summarizeRounds,
} from './publish.js';
import { type BusFigures, type BusRun, type EngineRun, ENGINES, renderBus } from './report.js';

const IDLE_CLIENTS = 1_000;
const APPENDS = 30_000;
const SIGNATURES = 5_000;
/** Engines and peers alternate this often within a run, so that other work on the machine affects all of them. */
const ROUNDS = 5;

const PEER_SERVER = new URL('./baselines/peer-server.js', import.meta.url);

/** The message bus on both engines, compared with engines, web servers and signatures alone. */
export const bus: Section = {
  name: 'bus',
  about: 'messages through gateway and broker; engine, web server and signatures alone',
  async run(options, print, resources) {
    const { runs, requests } = options;
    const idleClients = reduced(IDLE_CLIENTS, options);
    const keep = async <T extends { stop(): Promise<void> }>(starting: T | Promise<T>): Promise<T> => {
      const started = await starting;
      await resources.defer(() => started.stop());
      return started;
    };
    const load = await keep(new LoadGenerator());
    const buses = {
      redis: await keep(MeasuredBus.start('redis')),
      nats: await keep(MeasuredBus.start('nats')),
    };
    const peers = {
      fastify: await keep(startPeer(PEER_SERVER, ['fastify'])),
      nest: await keep(startPeer(PEER_SERVER, ['nest'])),
    };
    const publishers = {
      redis: (total: number) => publishOnBus(load, buses.redis.running, total),
      nats: (total: number) => publishOnBus(load, buses.nats.running, total),
      nest: (total: number) => publishAtPeer(load, peers.nest, total),
      fastify: (total: number) => publishAtPeer(load, peers.fastify, total),
    };
    print('warming up …');
    for (const publish of Object.values(publishers)) await publish(requests / 2);

    const measured: BusRun[] = [];
    for (let run = 1; run <= runs; run += 1) {
      const printStep = (step: string): void => print(`run ${run} of ${runs}: ${step} …`);
      printStep(`${requests} messages on each engine and at each peer, ${IN_FLIGHT} in flight`);
      const published = await publishAlternately(publishers, requests);
      const measureEngine = async (engine: BusEngine): Promise<EngineRun> => {
        printStep(`${engine}: delivery`);
        const deliveries = await buses[engine].measureDeliveries(load, options);
        printStep(`${engine}: the engine alone`);
        const append = await measureAppends(buses[engine].running, reduced(APPENDS, options), IN_FLIGHT);
        return { published: published[engine], deliveries, append };
      };
      const engines = { redis: await measureEngine('redis'), nats: await measureEngine('nats') };
      const { fastify, nest } = published;
      measured.push({ engines, fastify, nest, signatures: measureSignatures(reduced(SIGNATURES, options)) });
    }
    print(`${idleClients} idle clients …`);
    const idle = [
      await measureIdleClients(buses.redis.running.gateway(UNUSED_GATEWAY), idleClients),
      await measureIdleClients(buses.redis.running.gateway('subscriber'), idleClients),
    ];
    const figures: BusFigures = {
      runs: measured,
      messages: requests,
      idle,
      memory: ENGINES.flatMap((engine) => buses[engine].readMemory()),
    };
    return { figures, report: renderBus(figures) };
  },
};

async function publishAlternately<Name extends string>(
  publishers: Readonly<Record<Name, (total: number) => Promise<PublishRound>>>,
  total: number,
): Promise<Record<Name, PublishFigures>> {
  const names = Object.keys(publishers) as Name[];
  const rounds = new Map<Name, PublishRound[]>(names.map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round += 1)
    for (const name of names) rounds.get(name)?.push(await publishers[name](Math.ceil(total / ROUNDS)));
  return Object.fromEntries(names.map((name) => [name, summarizeRounds(rounds.get(name) ?? [])])) as Record<
    Name,
    PublishFigures
  >;
}
