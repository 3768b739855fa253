import { Injectable } from '@nestjs/common';
import { withoutCredentials } from '../logging/log-fields.js';
import type { Logger } from '../logging/logger.js';
import type { CheckReport } from './readiness.js';

/** Throws while the process makes no progress. It must not wait, and must not throw because another system is down. */
export type LivenessCheck = () => void;

export interface LivenessReport {
  readonly status: 'ok' | 'error';
  readonly checks: Readonly<Record<string, CheckReport>>;
}

/** Whether a restart of the process would help. Each component with work of its own registers a check of its progress. */
@Injectable()
export class Liveness {
  private readonly checks = new Map<string, LivenessCheck>();
  private readonly stuck = new Set<string>();

  constructor(private readonly log: Logger) {}

  register(name: string, check: LivenessCheck): void {
    this.checks.set(name, check);
  }

  /** Runs all checks, and logs each change. */
  report(): LivenessReport {
    const entries = [...this.checks].map(([name, check]) => [name, this.runCheck(name, check)] as const);
    const status = entries.every(([, check]) => check.status === 'up') ? 'ok' : 'error';
    return { status, checks: Object.fromEntries(entries) };
  }

  private runCheck(name: string, check: LivenessCheck): CheckReport {
    try {
      check();
    } catch (error) {
      const message = withoutCredentials(error instanceof Error ? error.message : String(error));
      if (!this.stuck.has(name)) this.log.error({ what: name, reason: message }, 'liveness lost');
      this.stuck.add(name);
      return { status: 'down', message };
    }
    if (this.stuck.delete(name)) this.log.info({ what: name }, 'liveness restored');
    return { status: 'up' };
  }
}
