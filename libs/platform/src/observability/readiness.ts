import { Injectable } from '@nestjs/common';
import { withTimeout } from '@ssb/resilience';

/** How long a probe or a scrape waits: shorter than the time-outs of Kubernetes and Prometheus. */
const PROBE_TIMEOUT_MS = 2_000;

/**
 * The result of a probe.
 * @throws the probe's error, or TimeoutError after two seconds
 */
export async function withProbeTimeout<T>(probe: () => T | Promise<T>): Promise<T> {
  return withTimeout(Promise.resolve().then(probe), PROBE_TIMEOUT_MS);
}

/** Throws (or rejects) with a sentence while its part of the app cannot serve. */
export type ReadinessCheck = () => void | Promise<void>;

interface CheckReport {
  readonly status: 'up' | 'down';
  readonly message?: string;
}

export interface ReadinessReport {
  readonly status: 'ok' | 'error';
  readonly checks: Readonly<Record<string, CheckReport>>;
}

/** What must be up before the app accepts requests. Each part of the app registers its own check. */
@Injectable()
export class Readiness {
  private readonly checks = new Map<string, ReadinessCheck>();

  register(name: string, check: ReadinessCheck): void {
    this.checks.set(name, check);
  }

  /** Runs all checks at once. A check without a result within two seconds is down. */
  async report(): Promise<ReadinessReport> {
    const entries = await Promise.all(
      [...this.checks].map(async ([name, check]) => [name, await runCheck(check)] as const),
    );
    const status = entries.every(([, { status: each }]) => each === 'up') ? 'ok' : 'error';
    return { status, checks: Object.fromEntries(entries) };
  }
}

async function runCheck(check: ReadinessCheck): Promise<CheckReport> {
  try {
    await withProbeTimeout(check);
    return { status: 'up' };
  } catch (error) {
    return { status: 'down', message: error instanceof Error ? error.message : String(error) };
  }
}
