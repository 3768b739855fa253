import type { BusGateway, RunningBus } from '../../harness/running-bus.js';
import { percentile } from '../statistics.js';
import { processorMs } from '../processor-time.js';
import { GATEWAY_USER } from '@ssb/tools';
import { BUSY } from './bench-messages.js';
import type { JobResult, LoadGenerator } from './load-generator/load-generator.js';
import type { Peer } from '../peer-process.js';
import type { PostTarget } from './load-generator/request-texts.js';

export const IN_FLIGHT = 64;

const PATH = '/api/v1/message';

/** Whose processor time is told with what was published. */
export type Part = 'gateway' | 'broker' | 'engine' | 'load';

/** One turn of publishing. */
export interface Turn {
  readonly seconds: number;
  readonly latencies: readonly number[];
  /** Processor time of each part, milliseconds. */
  readonly cpuMs: Readonly<Partial<Record<Part, number>>>;
}

export interface Published {
  readonly perSecond: number;
  /** Milliseconds from the request to its answer, when the message is durable. */
  readonly p50: number;
  readonly p99: number;
  /** Processor time of each part for a message, microseconds. */
  readonly cpuMicros: Readonly<Partial<Record<Part, number>>>;
}

/** Where messages of the busy channel are published at a gateway. */
export function atGateway({ url, password }: BusGateway): PostTarget {
  const credentials = Buffer.from(`${GATEWAY_USER}:${password}`).toString('base64');
  return { port: Number(new URL(url).port), path: PATH, authorization: `Basic ${credentials}`, fqcn: BUSY };
}

/** Publishes so many messages through the bus, 64 in flight; each is durable at the broker when it is answered. */
export async function publishOnBus(load: LoadGenerator, bus: RunningBus, total: number): Promise<Turn> {
  const gateway = bus.gateway('publisher');
  const pids = {
    gateway: gateway.process.pid ?? 0,
    broker: bus.brokers[0]?.pid ?? 0,
    engine: bus.engine.pid,
  };
  const used = (): Record<keyof typeof pids, number> => ({
    gateway: processorMs(pids.gateway),
    broker: processorMs(pids.broker),
    engine: processorMs(pids.engine),
  });
  const before = used();
  const result = await load.run({ target: atGateway(gateway), total, inFlight: IN_FLIGHT });
  const after = used();
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

/** The same requests, taken by a peer. */
export async function publishAtPeer(load: LoadGenerator, { port }: Peer, total: number): Promise<Turn> {
  const target = { port, path: PATH, authorization: 'Basic none', fqcn: BUSY };
  const result: JobResult = await load.run({ target, total, inFlight: IN_FLIGHT });
  return { ...result, cpuMs: { load: result.cpuMs } };
}

/** What the turns of a run come to together. */
export function together(turns: readonly Turn[]): Published {
  const latencies = turns.flatMap((turn) => turn.latencies);
  const sum = (of: (turn: Turn) => number): number => turns.reduce((total, turn) => total + of(turn), 0);
  const parts = [...new Set(turns.flatMap(({ cpuMs }) => Object.keys(cpuMs) as Part[]))];
  return {
    perSecond: latencies.length / sum(({ seconds }) => seconds),
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    cpuMicros: Object.fromEntries(
      parts.map((part) => [part, (sum(({ cpuMs }) => cpuMs[part] ?? 0) * 1000) / latencies.length]),
    ),
  };
}
