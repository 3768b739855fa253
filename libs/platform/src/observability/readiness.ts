import { Injectable } from '@nestjs/common';
import { answerInTime } from './answer-in-time.js';

/** Throws (or rejects) with a sentence when the thing it looks at cannot serve at the moment. */
export type ReadinessCheck = () => void | Promise<void>;

export interface ReadinessReport {
  readonly status: 'ok' | 'error';
  readonly checks: Readonly<Record<string, { readonly status: 'up' | 'down'; readonly message?: string }>>;
}

/** What must be up before the app takes work; each part of the app registers its own check. */
@Injectable()
export class Readiness {
  private readonly checks = new Map<string, ReadinessCheck>();

  register(name: string, check: ReadinessCheck): void {
    this.checks.set(name, check);
  }

  /** Runs every check at once; one that does not answer within two seconds is down. */
  async report(): Promise<ReadinessReport> {
    const entries = await Promise.all(
      [...this.checks].map(async ([name, check]) => [name, await outcome(check)] as const),
    );
    const status = entries.every(([, { status: each }]) => each === 'up') ? 'ok' : 'error';
    return { status, checks: Object.fromEntries(entries) };
  }
}

async function outcome(check: ReadinessCheck): Promise<{ status: 'up' | 'down'; message?: string }> {
  try {
    await answerInTime(check);
    return { status: 'up' };
  } catch (error) {
    return { status: 'down', message: error instanceof Error ? error.message : String(error) };
  }
}
