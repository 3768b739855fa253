import { Injectable } from '@nestjs/common';
import { withTimeout } from '@ssb/net';
import { withoutCredentials } from '../logging/log-fields.js';

/** Timeout of one probe of a component. The timeouts of the Kubernetes probe and of the Prometheus scrape must be longer. */
const PROBE_TIMEOUT_MS = 2_000;

/**
 * Runs a probe with a timeout.
 * @throws the error of the probe, or TimeoutError after `PROBE_TIMEOUT_MS`
 */
export async function withProbeTimeout<T>(probe: () => T | Promise<T>): Promise<T> {
  return withTimeout(Promise.resolve().then(probe), PROBE_TIMEOUT_MS);
}

/** Throws or rejects while the component is not ready. The readiness report contains the error message. */
export type ReadinessCheck = () => void | Promise<void>;

export interface CheckReport {
  readonly status: 'up' | 'down';
  readonly message?: string;
}

export interface ReadinessReport {
  readonly status: 'ok' | 'error';
  readonly checks: Readonly<Record<string, CheckReport>>;
}

/** Runs the readiness checks of the app. Each component registers its own check. */
@Injectable()
export class Readiness {
  private readonly checks = new Map<string, ReadinessCheck>();
  /** A check that has not ended is not started again. */
  private readonly running = new Map<string, Promise<void>>();

  register(name: string, check: ReadinessCheck): void {
    this.checks.set(name, check);
  }

  /** Runs all checks concurrently. A check that exceeds `PROBE_TIMEOUT_MS` is reported as down. */
  async report(): Promise<ReadinessReport> {
    const entries = await Promise.all(
      [...this.checks].map(async ([name, check]) => [name, await this.runCheck(name, check)] as const),
    );
    const status = entries.every(([, check]) => check.status === 'up') ? 'ok' : 'error';
    return { status, checks: Object.fromEntries(entries) };
  }

  private async runCheck(name: string, check: ReadinessCheck): Promise<CheckReport> {
    try {
      await withProbeTimeout(() => this.startOrJoin(name, check));
      return { status: 'up' };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return { status: 'down', message: withoutCredentials(message) };
    }
  }

  private startOrJoin(name: string, check: ReadinessCheck): Promise<void> {
    const existing = this.running.get(name);
    if (existing !== undefined) return existing;
    const started = Promise.resolve()
      .then(check)
      .finally(() => this.running.delete(name));
    this.running.set(name, started);
    return started;
  }
}
