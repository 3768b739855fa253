import { performance } from 'node:perf_hooks';
import type { Logger } from '../logging/logger.js';
import { withProbeTimeout } from './readiness.js';

export interface ScrapeReadingOptions {
  /** What is read, for the log. */
  readonly what: string;
  readonly log: Logger;
  /** How long a value is used again, milliseconds; default: only by those that wait for its reading. */
  readonly maxAgeMs?: number;
}

/** What gauges read at a scrape. One reading runs at a time, because a timeout does not end it. */
export class ScrapeReading<T> {
  private running: Promise<T> | undefined;
  private latest: { readonly value: T; readonly at: number } | undefined;
  private hasFailed = false;

  constructor(
    private readonly read: () => Promise<T>,
    private readonly options: ScrapeReadingOptions,
  ) {}

  /**
   * Never rejects. Logs the first of several failures.
   * @returns undefined when the reading failed, or takes longer than a probe may
   */
  async get(): Promise<T | undefined> {
    const { latest } = this;
    const { what, log, maxAgeMs = 0 } = this.options;
    if (latest !== undefined && performance.now() - latest.at < maxAgeMs) return latest.value;
    try {
      const value = await withProbeTimeout(() => (this.running ??= this.start()));
      this.hasFailed = false;
      return value;
    } catch (err) {
      if (!this.hasFailed) log.warn({ err, what }, 'metrics reading failed');
      this.hasFailed = true;
      return undefined;
    }
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
