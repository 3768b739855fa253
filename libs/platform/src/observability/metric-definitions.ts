interface Definition<Label extends string> {
  readonly name: string;
  /** One sentence for `# HELP` and docs/metrics.md. Units belong to the name. */
  readonly help: string;
  /** What each label can be: its values, or what bounds them. */
  readonly labels?: Readonly<Record<Label, readonly string[] | string>>;
}

export interface CounterDefinition<Label extends string = string> extends Definition<Label> {
  readonly type: 'counter';
}

export interface GaugeDefinition<Label extends string = string> extends Definition<Label> {
  readonly type: 'gauge';
  /** It shows amounts or publications of a participant. Without METRICS_BUSINESS, `/metrics` does not have it. */
  readonly business?: true;
}

export interface HistogramDefinition<Label extends string = string> extends Definition<Label> {
  readonly type: 'histogram';
}

/** A metric, as the app creates it and as docs/metrics.md describes it. */
export type MetricDefinition = CounterDefinition | GaugeDefinition | HistogramDefinition;

/** Buckets of every histogram, seconds: from a hop inside one machine to a backlog after an outage. */
export const LATENCY_BUCKETS: readonly number[] = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 3_600,
];

/** What a latency shows since a time of another clock, seconds; 0 when that is in the future or not readable. */
export function secondsSince(epochMs: number): number {
  const seconds = (Date.now() - epochMs) / 1_000;
  return seconds > 0 ? seconds : 0;
}

/** The value of a label for everything beyond its bound. */
export const OTHER = 'other';

/** Values of a label that clients choose. The first ones are kept; the others are `other`. */
export class BoundedLabel {
  private readonly known = new Set<string>();

  constructor(private readonly maxValues: number) {}

  fold(value: string): string {
    if (this.known.has(value)) return value;
    if (this.known.size >= this.maxValues) return OTHER;
    this.known.add(value);
    return value;
  }
}
