import { TokenRefusedError, TokenUnavailableError } from '@ssb/market';
import {
  OperatorRefusedError,
  OperatorUnavailableError,
  type BulkLine,
  type Fault,
  type OperatorClient,
  participantOf,
  type RecordKind,
} from '@ssb/market/admin';
import type { Logger } from '@ssb/platform';
import { type Backoff, backoffDelayMs, retry } from '@ssb/net';
import type { Publication } from '../domain/documents/publications.js';

const BACKOFF: Backoff = { baseMs: 250, maxMs: 5_000 };

/** The number of published records of one kind and participant. */
export interface SummaryRow {
  kind: RecordKind;
  participant: string;
  records: number;
}

export interface Outcome {
  loaded: number;
  alreadyThere: number;
  /** Exist with other content, from another simulation. */
  conflicting: number;
}

/** Counts what a simulation publishes. */
export class Summary {
  private readonly counts = new Map<string, SummaryRow>();
  readonly outcomes: Outcome = { loaded: 0, alreadyThere: 0, conflicting: 0 };

  add(lines: readonly BulkLine[], { loaded, alreadyThere, conflicting }: Outcome): void {
    for (const line of lines) {
      const participant = participantOf(line) ?? 'all';
      const key = `${participant} ${line.kind}`;
      const row = this.counts.get(key) ?? { kind: line.kind, participant, records: 0 };
      row.records += 1;
      this.counts.set(key, row);
    }
    this.outcomes.loaded += loaded;
    this.outcomes.alreadyThere += alreadyThere;
    this.outcomes.conflicting += conflicting;
  }

  /** By participant, then by kind. */
  get rows(): SummaryRow[] {
    return [...this.counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  }
}

/** Loads records through the operator API of the reporting service and counts them. Retries while the service is unavailable. */
export class Publisher {
  constructor(
    private readonly client: OperatorClient,
    private readonly log: Logger,
    private readonly summary: Summary,
  ) {}

  /** Resolves when the records are loaded. @throws the error of records that can never be loaded, or the last error on abort */
  async publish({ kind, subject, lines }: Publication, signal: AbortSignal): Promise<void> {
    const publishedAt = new Date().toISOString();
    const outcome = await this.load(`${kind} ${subject}`, lines, signal);
    this.summary.add(lines, outcome);
    const { loaded } = outcome;
    const records = lines.length;
    this.log.info({ step: 'published', kind, subject, publishedAt, records, loaded }, 'records published');
  }

  /** Injects a fault into the reporting API. */
  async injectFault(fault: Fault, signal: AbortSignal): Promise<void> {
    await this.withRetry(`fault ${fault.kind}`, () => this.client.injectFault(fault), signal);
    this.log.info({ step: 'fault', fault }, 'fault injected');
  }

  private async load(description: string, lines: readonly BulkLine[], signal: AbortSignal): Promise<Outcome> {
    try {
      const counts = await this.withRetry(description, () => this.client.loadAll(lines), signal);
      return { ...counts, conflicting: 0 };
    } catch (error) {
      if (chooseRecovery(error) !== 'skip') throw error;
      if (lines.length === 1) {
        this.log.warn({ what: description, err: error }, 'record conflict');
        return { loaded: 0, alreadyThere: 0, conflicting: 1 };
      }
    }
    // One conflicting record makes the whole load fail. Halving leaves out that record only.
    const middle = Math.ceil(lines.length / 2);
    const first = await this.load(description, lines.slice(0, middle), signal);
    const second = await this.load(description, lines.slice(middle), signal);
    return {
      loaded: first.loaded + second.loaded,
      alreadyThere: first.alreadyThere + second.alreadyThere,
      conflicting: first.conflicting + second.conflicting,
    };
  }

  private withRetry<T>(description: string, work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    const delayMs = (error: unknown, failed: number): number | undefined => {
      if (chooseRecovery(error) !== 'retry') return undefined;
      this.log.warn({ what: description, attempt: failed, reason: String(error) }, 'publication failed');
      return backoffDelayMs(failed, BACKOFF, Math.random());
    };
    return retry(work, { delayMs, signal });
  }
}

/**
 * How to continue after a failed load. An unavailable service or unknown account is retried without limit; a missing scope is not, because
 * only an administrator can add it.
 */
export function chooseRecovery(error: unknown): 'retry' | 'skip' | 'fail' {
  if (error instanceof OperatorUnavailableError || error instanceof TokenUnavailableError) return 'retry';
  if (error instanceof TokenRefusedError) return 'retry';
  if (!(error instanceof OperatorRefusedError)) return 'fail';
  if (error.status === 409) return 'skip';
  return error.status === 401 || error.status === 404 ? 'retry' : 'fail';
}
