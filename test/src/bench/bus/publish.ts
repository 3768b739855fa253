import { GATEWAY_USER } from '@ssb/tools';
import type { BusGateway, RunningBus } from '../../harness/running-bus.js';
import { percentile } from '../figures.js';
import type { PeerProcess } from '../peer-process.js';
import { readProcessorMs } from '../process-usage.js';
import { BUSY_CHANNEL } from './bench-messages.js';
import type { LoadGenerator } from './load-generator/load-generator.js';
import type { PostTarget } from './load-generator/request-texts.js';

export const IN_FLIGHT = 64;

const PATH = '/api/v1/message';

/** Processes whose processor time is reported. */
export type Component = 'gateway' | 'broker' | 'engine' | 'load';

/** One round of publishing. */
export interface PublishRound {
  readonly seconds: number;
  readonly latencies: readonly number[];
  /** Processor time of each component, milliseconds. */
  readonly cpuMs: Readonly<Partial<Record<Component, number>>>;
}

export interface PublishFigures {
  readonly perSecond: number;
  /** Milliseconds from the request to its response, when the message is durable. */
  readonly p50: number;
  readonly p99: number;
  /** Processor time of each component per message, microseconds. */
  readonly cpuMicros: Readonly<Partial<Record<Component, number>>>;
}

/** The busy channel at a gateway. */
export function toPostTarget({ url, password }: BusGateway): PostTarget {
  const credentials = Buffer.from(`${GATEWAY_USER}:${password}`).toString('base64');
  return {
    port: Number(new URL(url).port),
    path: PATH,
    authorization: `Basic ${credentials}`,
    fqcn: BUSY_CHANNEL,
  };
}

/** Publishes `total` messages through the bus. Each is durable at the broker before its response. */
export async function publishOnBus(
  load: LoadGenerator,
  bus: RunningBus,
  total: number,
): Promise<PublishRound> {
  const gateway = bus.gateway('publisher');
  const pids = {
    gateway: gateway.process.pid ?? 0,
    broker: bus.brokers[0]?.pid ?? 0,
    engine: bus.engine.pid,
  };
  const readCpu = (): Record<keyof typeof pids, number> => ({
    gateway: readProcessorMs(pids.gateway),
    broker: readProcessorMs(pids.broker),
    engine: readProcessorMs(pids.engine),
  });
  const before = readCpu();
  const result = await load.run({ target: toPostTarget(gateway), total, inFlight: IN_FLIGHT });
  const after = readCpu();
  return {
    ...result,
    cpuMs: {
      gateway: after.gateway - before.gateway,
      broker: after.broker - before.broker,
      engine: after.engine - before.engine,
      load: result.cpuMs,
    },
  };
}

/** Sends the same requests to a peer. */
export async function publishAtPeer(
  load: LoadGenerator,
  { port }: PeerProcess,
  total: number,
): Promise<PublishRound> {
  const target = { port, path: PATH, authorization: 'Basic none', fqcn: BUSY_CHANNEL };
  const result = await load.run({ target, total, inFlight: IN_FLIGHT });
  return { ...result, cpuMs: { load: result.cpuMs } };
}

export function summarizeRounds(rounds: readonly PublishRound[]): PublishFigures {
  const latencies = rounds.flatMap((round) => round.latencies);
  const seconds = rounds.reduce((total, round) => total + round.seconds, 0);
  const cpuMs = (component: Component): number =>
    rounds.reduce((total, round) => total + (round.cpuMs[component] ?? 0), 0);
  const components = [...new Set(rounds.flatMap((round) => Object.keys(round.cpuMs) as Component[]))];
  return {
    perSecond: latencies.length / seconds,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    cpuMicros: Object.fromEntries(
      components.map((component) => [component, (cpuMs(component) * 1000) / latencies.length]),
    ),
  };
}
