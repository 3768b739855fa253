import { type MarketDateTime, toMarketDateTime } from '@ssb/market';
import type { Fault } from '@ssb/market/admin';
import type { Publication, Publications, RunStamp } from '../documents/publications.js';
import type { Progress } from './progress.js';

/** The next action of a simulation. */
export type SimulationStep =
  /** @property at the market time when it is due; now when undefined */
  | { type: 'publish'; publication: Publication; at?: MarketDateTime }
  | { type: 'inject-fault'; fault: Fault }
  /** @property ms milliseconds of the simulation's clock */
  | { type: 'wait'; ms: number }
  | { type: 'save'; progress: Progress }
  /** The backlog is loaded: from now on the market may be read. */
  | { type: 'ready' };

/** What the step generators depend on. */
export interface SimulationContext {
  seed: string;
  participants: readonly string[];
  publications: Publications;
  stamps: StampGenerator;
  now: () => Date;
  /** How many times faster than written the scenario runs. */
  speed: number;
}

export function publishNow(publication: Publication): SimulationStep {
  return { type: 'publish', publication };
}

/** Market times and run ids of publications that are made now. */
export class StampGenerator {
  /** Milliseconds of the latest calculation of each participant. */
  private readonly lastCalculations = new Map<string, number>();
  private lastRunId = 0;

  constructor(private readonly now: () => Date) {}

  /** Times of a participant's calculations are at least a second apart, as they identify the calculations. */
  nextCalculation(participant: string): MarketDateTime {
    const earliest = (this.lastCalculations.get(participant) ?? 0) + 1_000;
    const ms = Math.max(this.now().getTime(), earliest);
    this.lastCalculations.set(participant, ms);
    return toMarketDateTime(new Date(ms));
  }

  /** Each run id is higher than the one before. */
  nextRun(): RunStamp {
    const { publishedAt, runId } = stampRun(this.now());
    this.lastRunId = Math.max(runId, this.lastRunId + 1);
    return { publishedAt, runId: this.lastRunId };
  }
}

/** The run id is seconds since 1970, which the int32 of document 000 holds until 2038. */
export function stampRun(instant: Date): RunStamp {
  return { publishedAt: toMarketDateTime(instant), runId: Math.floor(instant.getTime() / 1_000) };
}

/** Keeps a batch to a few megabytes. */
const MAX_RECORDS_PER_BATCH = 300;

/** Merges publications into large batches, which are published without waiting. */
export function* batchSteps(
  steps: Iterable<Extract<SimulationStep, { type: 'publish' }>>,
): Generator<SimulationStep> {
  let lines: Publication['lines'][number][] = [];
  let firstDay = '';
  let lastDay = '';
  const batch = (): SimulationStep =>
    publishNow({ kind: 'history', subject: `${firstDay} to ${lastDay}`, lines });
  for (const { publication, at = '' } of steps) {
    if (lines.length > 0 && lines.length + publication.lines.length > MAX_RECORDS_PER_BATCH) {
      yield batch();
      lines = [];
    }
    lastDay = at.slice(0, 10);
    if (lines.length === 0) firstDay = lastDay;
    lines.push(...publication.lines);
  }
  if (lines.length > 0) yield batch();
}
