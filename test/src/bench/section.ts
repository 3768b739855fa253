/** How much is measured; every section takes from it what it knows. */
export interface BenchOptions {
  /** How often each measurement is repeated; medians are reported. */
  readonly runs: number;
  /** Margin changes in a run of the road's latency. */
  readonly samples: number;
  /** Statements in a run of the road's throughput. */
  readonly burst: number;
  /** Requests in a run of a load. */
  readonly requests: number;
  /** Participants of the store. */
  readonly participants: number;
  /** How many times shorter than in earnest the request budget's windows are. */
  readonly scale: number;
}

/** What a section found: for a program, and as Markdown for a person. */
export interface SectionResult {
  readonly figures: unknown;
  readonly report: string;
}

/** One part of the benchmark. It starts what it needs, and has stopped all of it when its promise settles. */
export interface Section {
  readonly name: string;
  readonly about: string;
  run(options: BenchOptions, say: (text: string) => void, stops: Stops): Promise<SectionResult>;
}

/** What must be stopped should someone interrupt. */
export interface Stops {
  add(stop: () => Promise<void>): void;
}
