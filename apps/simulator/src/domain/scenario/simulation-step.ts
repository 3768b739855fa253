import { type MarketDateTime, marketNow } from '@ssb/market';
import type { Fault } from '@ssb/market-admin';
import type { Progress } from './progress.js';
import type { Publication, Publications, RunStamp } from '../documents/publications.js';

/** What a simulation does next. */
export type Step =
  /** @property at the market time at which it is due; at once when undefined */
  | { do: 'publish'; publication: Publication; at?: MarketDateTime }
  | { do: 'inject-fault'; fault: Fault }
  /** @property ms in the time of the scenario, which passes at the speed of the clock */
  | { do: 'wait'; ms: number }
  | { do: 'save'; progress: Progress };

/** What a generator of steps works with. */
export interface SimulationContext {
  seed: string;
  participants: readonly string[];
  publications: Publications;
  stamps: Stamps;
  now: () => Date;
  /** How many times faster than written the scenario runs. */
  speed: number;
}

export function publish(publication: Publication): Step {
  return { do: 'publish', publication };
}

/** Market times and ids of what is published now. */
export class Stamps {
  private readonly lastCalculations = new Map<string, number>();
  private lastRunId = 0;

  constructor(private readonly now: () => Date) {}

  /** A participant's calculations are identified by the second: each is at least one second after the one before. */
  calculation(participant: string): MarketDateTime {
    const earliest = (this.lastCalculations.get(participant) ?? 0) + 1_000;
    const at = Math.max(this.now().getTime(), earliest);
    this.lastCalculations.set(participant, at);
    return marketNow(new Date(at));
  }

  /** No two runs have the same id. */
  run(): RunStamp {
    const { publishedAt, runId } = runStampAt(this.now());
    this.lastRunId = Math.max(runId, this.lastRunId + 1);
    return { publishedAt, runId: this.lastRunId };
  }
}

/** The run id is seconds since 1970: later runs have higher ids, and the int32 of document 000 holds them until 2038. */
export function runStampAt(instant: Date): RunStamp {
  return { publishedAt: marketNow(instant), runId: Math.floor(instant.getTime() / 1_000) };
}

/** Publications that are loaded together have at most so many records: some megabytes. */
const MAX_RECORDS_PER_BATCH = 300;

/** The same records in large publications, without waiting. */
export function* inBatches(steps: Iterable<Extract<Step, { do: 'publish' }>>): Generator<Step> {
  let lines: Publication['lines'][number][] = [];
  let first = '';
  let last = '';
  for (const { publication, at = '' } of steps) {
    if (lines.length > 0 && lines.length + publication.lines.length > MAX_RECORDS_PER_BATCH) {
      yield publish({ kind: 'history', subject: `${first} to ${last}`, lines });
      lines = [];
    }
    last = at.slice(0, 10);
    if (lines.length === 0) first = last;
    lines.push(...publication.lines);
  }
  if (lines.length > 0) yield publish({ kind: 'history', subject: `${first} to ${last}`, lines });
}
