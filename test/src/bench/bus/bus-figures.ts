import type { BusEngine } from '../../harness/running-bus.js';
import type { Memory } from '../process-usage.js';
import type { IdleClients } from './idle-clients.js';
import type { Deliveries } from './measured-bus.js';
import type { Published } from './publish.js';
import type { SignatureLimits } from './baselines/baselines.js';

export const ENGINES: readonly BusEngine[] = ['redis', 'nats'];

/** What one engine's bus does in a run. */
export interface EngineRun {
  readonly published: Published;
  readonly deliveries: Deliveries;
  /** Appends a second of the engine alone. */
  readonly append: number;
}

/** One run: both buses, and beside them what does a part of their work alone. */
export interface BusRun {
  readonly engines: Readonly<Record<BusEngine, EngineRun>>;
  readonly fastify: Published;
  readonly nest: Published;
  readonly signatures: SignatureLimits;
}

export interface BusFigures {
  readonly runs: readonly BusRun[];
  readonly messages: number;
  readonly idle: readonly IdleClients[];
  readonly memory: readonly Memory[];
}
