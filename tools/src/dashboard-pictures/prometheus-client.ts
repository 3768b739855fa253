import { replaceVariables } from '../docs/promql-metrics.js';
import { SCRAPE_INTERVAL_SECONDS } from './prometheus-server.js';

export interface Series {
  readonly labels: Readonly<Record<string, string>>;
  /** Epoch seconds and value; not a number where there is none. */
  readonly points: readonly (readonly [time: number, value: number])[];
}

export interface TimeRange {
  readonly from: number;
  readonly to: number;
  readonly step: number;
}

interface Answer {
  readonly status: string;
  readonly error?: string;
  readonly data: {
    readonly result: readonly {
      readonly metric: Record<string, string>;
      readonly values?: readonly [number, string][];
      readonly value?: [number, string];
    }[];
  };
}

/** Runs the queries of dashboards as Grafana does. */
export class PrometheusClient {
  private readonly variables: Readonly<Record<string, string>>;

  constructor(
    private readonly url: string,
    readonly range: TimeRange,
  ) {
    // Grafana: the step and a scrape, at least four scrapes.
    const rateSeconds = Math.max(range.step + SCRAPE_INTERVAL_SECONDS, 4 * SCRAPE_INTERVAL_SECONDS);
    this.variables = { $__rate_interval: `${rateSeconds}s`, $__range: `${range.to - range.from}s` };
  }

  async query(expression: string, instant: boolean): Promise<Series[]> {
    const { from, to, step } = this.range;
    const query = replaceVariables(expression, this.variables);
    const times = instant ? { time: to } : { start: from, end: to, step };
    const body = new URLSearchParams({ query });
    for (const [name, value] of Object.entries(times)) body.set(name, String(value));
    const response = await fetch(`${this.url}/api/v1/${instant ? 'query' : 'query_range'}`, {
      method: 'POST',
      body,
    });
    const answer = (await response.json()) as Answer;
    if (answer.status !== 'success') throw new Error(`Prometheus refused ${query}: ${answer.error}`);
    return answer.data.result.map(({ metric, values, value }) => ({
      labels: metric,
      points: (values ?? (value ? [value] : [])).map(([time, text]) => [time, Number(text)] as const),
    }));
  }
}

/** `{{label}}` of a legend becomes the label's value. */
export function formatLegend(format: string, labels: Series['labels']): string {
  return format.replaceAll(/\{\{(\w+)\}\}/g, (_, label: string) => labels[label] ?? '').trim();
}
