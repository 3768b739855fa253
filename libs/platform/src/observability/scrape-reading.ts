import { performance } from 'node:perf_hooks';
import { withProbeTimeout } from './readiness.js';

/** What gauges read at a scrape. One reading runs at a time, because a timeout does not end it. */
export class ScrapeReading<T> {
  private running: Promise<T> | undefined;
  private latest: { readonly value: T; readonly at: number } | undefined;

  /** @param maxAgeMs how long a value is used again; default: only by those that wait for its reading */
  constructor(
    private readonly read: () => Promise<T>,
    private readonly maxAgeMs = 0,
  ) {}

  /** Never rejects. @returns undefined when the reading failed, or takes longer than a probe may */
  async get(): Promise<T | undefined> {
    const { latest } = this;
    if (latest !== undefined && performance.now() - latest.at < this.maxAgeMs) return latest.value;
    return withProbeTimeout(() => (this.running ??= this.start())).catch(() => undefined);
  }

  private async start(): Promise<T> {
    try {
      const value = await this.read();
      this.latest = { value, at: performance.now() };
      return value;
    } finally {
      this.running = undefined;
    }
  }
}
