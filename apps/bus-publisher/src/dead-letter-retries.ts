import { type ConfigSource, findEventProblem, findRoute } from '@ssb/config';
import type { GatewayAccessMonitor } from '@ssb/faults';
import type { Logger } from '@ssb/platform';
import type { DeadLetter, DeadLetters } from '@ssb/redis-queue';
import type { DetectedEvent } from '@ssb/events';
import { PeriodicTask } from '@ssb/net';
import { isRetryDue } from './domain/retry-due.js';
import type { PublisherMetrics } from './publisher-metrics.js';

/** Dead letters that are read in one check. An event can have 8 MiB, so they are read one by one. */
const MAX_CHECKED = 100;

export interface DeadLetterRetriesDependencies {
  readonly config: ConfigSource;
  readonly deadLetters: Pick<DeadLetters, 'listByPrecedence' | 'get' | 'retry'>;
  readonly gatewayAccess: Pick<GatewayAccessMonitor, 'permits'>;
  readonly metrics: PublisherMetrics;
  readonly log: Logger;
  readonly checkIntervalMs: number;
}

/**
 * Retries the dead letters whose cause can end by itself, margin and credit events first: the channel exists, CONFIG_FILE has the route or
 * participant, or the channel may accept larger messages.
 */
export class DeadLetterRetries {
  private readonly task: PeriodicTask;
  /** Dead letters that were read in this pass through the list. */
  private checked = new Set<string>();

  constructor(private readonly dependencies: DeadLetterRetriesDependencies) {
    const { checkIntervalMs, log } = dependencies;
    this.task = new PeriodicTask(
      (stopping) => this.check(stopping),
      checkIntervalMs,
      (err) => log.warn({ err }, 'dead letters not checked'),
    );
  }

  start(): void {
    this.task.start();
  }

  stop(): Promise<void> {
    return this.task.stop();
  }

  private async check(stopping: AbortSignal): Promise<void> {
    const { deadLetters } = this.dependencies;
    const ids = await deadLetters.listByPrecedence();
    const rest = ids.filter((id) => !this.checked.has(id));
    if (rest.length === 0) this.checked = new Set();
    for (const id of (rest.length === 0 ? ids : rest).slice(0, MAX_CHECKED)) {
      if (stopping.aborted) return;
      this.checked.add(id);
      const letter = await deadLetters.get(id);
      if (letter !== undefined && this.isDue(letter)) await this.retry(letter);
    }
  }

  private isDue(letter: DeadLetter): boolean {
    const { config, gatewayAccess } = this.dependencies;
    if (!letter.verified) return false;
    const { type } = letter.event as DetectedEvent;
    const channel = findRoute(config.current(), type)?.channel;
    const permitsChannel = channel !== undefined && gatewayAccess.permits(channel);
    return isRetryDue(letter, permitsChannel, new Date());
  }

  private async retry({ id, event, reason, cause }: DeadLetter): Promise<void> {
    const { deadLetters, config, metrics, log } = this.dependencies;
    const findProblem = (value: unknown): string | undefined => findEventProblem(config.current(), value);
    const { outcome } = await deadLetters.retry(id, { findProblem });
    if (outcome !== 'queued' || cause === undefined) return;
    metrics.retriedDeadLetters.inc({ cause });
    const { type: eventType, subject } = event as DetectedEvent;
    log.info({ eventId: id, eventType, subject, reason }, 'dead letter retried');
  }
}
