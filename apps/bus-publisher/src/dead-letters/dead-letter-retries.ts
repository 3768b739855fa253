import { Inject, Injectable } from '@nestjs/common';
import { findEventProblem, findRoute, OperatorConfigFile } from '@ssb/config';
import type { DetectedEvent } from '@ssb/events';
import { GatewayAccessMonitor } from '@ssb/faults';
import { PeriodicTask } from '@ssb/net';
import { LOGGER, SETTINGS, type Logger } from '@ssb/platform';
import { DeadLetters, type DeadLetter } from '@ssb/redis-queue';
import type { Settings } from '../settings.js';
import { isRetryDue } from './retry-due.js';
import { PublisherMetrics } from '../monitoring/publisher-metrics.js';

/** Dead letters that are read in one check. An event can have 8 MiB, so they are read one by one. */
const MAX_CHECKED = 100;

/**
 * Retries the dead letters whose cause can end by itself, margin and credit events first: the channel exists, CONFIG_FILE has the route or
 * participant, or the channel may accept larger messages.
 */
@Injectable()
export class DeadLetterRetries {
  private readonly task: PeriodicTask;
  /** Dead letters that were read in this pass through the list. */
  private checked = new Set<string>();

  constructor(
    private readonly deadLetters: DeadLetters,
    private readonly config: OperatorConfigFile,
    private readonly gatewayAccess: GatewayAccessMonitor,
    private readonly metrics: PublisherMetrics,
    @Inject(SETTINGS) { GATEWAY_CHECK_INTERVAL_MS }: Settings,
    @Inject(LOGGER) private readonly log: Logger,
  ) {
    this.task = new PeriodicTask(
      (stopping) => this.check(stopping),
      // Not more often than the channels are listed.
      2 * GATEWAY_CHECK_INTERVAL_MS,
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
    const ids = await this.deadLetters.listByPrecedence();
    const rest = ids.filter((id) => !this.checked.has(id));
    if (rest.length === 0) this.checked = new Set();
    for (const id of (rest.length === 0 ? ids : rest).slice(0, MAX_CHECKED)) {
      if (stopping.aborted) return;
      this.checked.add(id);
      const letter = await this.deadLetters.get(id);
      if (letter !== undefined && this.isDue(letter)) await this.retry(letter);
    }
  }

  private isDue(letter: DeadLetter): boolean {
    if (!letter.verified) return false;
    const { type } = letter.event as DetectedEvent;
    const channel = findRoute(this.config.current(), type)?.channel;
    const permitsChannel = channel !== undefined && this.gatewayAccess.permits(channel);
    return isRetryDue(letter, permitsChannel, new Date());
  }

  private async retry({ id, event, reason, cause }: DeadLetter): Promise<void> {
    const findProblem = (value: unknown): string | undefined =>
      findEventProblem(this.config.current(), value);
    const { outcome } = await this.deadLetters.retry(id, { findProblem });
    if (outcome !== 'queued' || cause === undefined) return;
    this.metrics.retriedDeadLetters.inc({ cause });
    const { type: eventType, subject } = event as DetectedEvent;
    this.log.info({ eventId: id, eventType, subject, reason }, 'dead letter retried');
  }
}
