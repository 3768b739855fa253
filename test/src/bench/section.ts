import type { ResourceStack } from '@ssb/tools';

/** How much is measured. Each section uses the options that concern it. */
export interface BenchOptions {
  /** Repetitions of each measurement; medians are reported. */
  readonly runs: number;
  /** Margin changes in a run of the pipeline's latency. */
  readonly samples: number;
  /** Statements in a run of the pipeline's throughput. */
  readonly burst: number;
  /** Calculations in a response with a breach. */
  readonly calculations: number;
  /** Large statements before a breach. */
  readonly statements: number;
  /** Requests in a run of a load. */
  readonly requests: number;
  /** Participants of the poller. */
  readonly participants: number;
  /** Hours of the played day. */
  readonly hours: number;
  /** How many times faster than real time the day is played. */
  readonly speed: number;
  /** Events of the archive. */
  readonly events: number;
  /** Divisor of the counts and waits that have no option of their own. */
  readonly divisor: number;
}

/** A count or wait that has no option of its own. */
export function reduced(count: number, { divisor }: Pick<BenchOptions, 'divisor'>): number {
  return Math.ceil(count / divisor);
}

/** Figures as JSON for programs, and a Markdown report for readers. */
export interface SectionResult {
  readonly figures: unknown;
  readonly report: string;
}

/** One section of the benchmark. */
export interface Section {
  readonly name: string;
  readonly about: string;
  /** It takes too long to be measured with all others. */
  readonly onlyWhenNamed?: boolean;
  /** @param resources receives everything that the section starts; the caller releases it */
  run(options: BenchOptions, print: (text: string) => void, resources: ResourceStack): Promise<SectionResult>;
}
