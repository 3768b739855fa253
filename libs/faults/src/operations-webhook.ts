import {
  type ClientConnection,
  backoffDelayMs,
  TimeoutError,
  withTimeout,
  type Backoff,
  WebhookClient,
  type DeliveryOutcome,
} from '@ssb/net';
import type { DetectedEvent } from '@ssb/events';
import type { Logger, WebhookTarget } from '@ssb/platform';
import { InterruptibleDelay } from './interruptible-delay.js';

/** A `WebhookClient`, or a sink that needs the event itself as well. */
export interface OperationsClient {
  post(
    message: { readonly id: string; readonly text: string; readonly event: DetectedEvent },
    signal: AbortSignal,
  ): Promise<DeliveryOutcome>;
  close(): Promise<void>;
}

export interface OperationsWebhookOptions {
  /** Undefined when OPERATIONS_WEBHOOK_URL is not set; nothing is posted then. */
  readonly client: OperationsClient | undefined;
  readonly log: Logger;
  /** Counts alerts that are dropped. A fault about them would be one more alert that waits. */
  readonly dropped?: { inc(): void } | undefined;
  /** Between two attempts. Default 1 s to 60 s. */
  readonly backoff?: Backoff;
}

/** When more alerts wait, the oldest is dropped. */
export const MAX_WAITING_ALERTS = 200;

const MAX_KNOWN_IDS = 1_000;
const STOP_TIMEOUT_MS = 2_000;
const BACKOFF: Backoff = { baseMs: 1_000, maxMs: 60_000 };

/** Posts operational alerts to OPERATIONS_WEBHOOK_URL, each until it is accepted. The body is the unsigned event. */
export class OperationsWebhook {
  private readonly waiting = new Map<string, { readonly event: DetectedEvent; attempts: number }>();
  /** Ids of the latest alerts, so that each is posted once by this process. */
  private readonly knownIds = new Set<string>();
  private readonly abort = new AbortController();
  private running: Promise<void> | undefined;
  private readonly delay = new InterruptibleDelay();
  private stopped = false;

  constructor(private readonly options: OperationsWebhookOptions) {}

  /**
   * Returns at once. A repeated id changes nothing.
   * @returns whether the alert still waits; false when it was accepted or dropped, or nothing is posted
   */
  post(event: DetectedEvent): boolean {
    if (this.options.client === undefined) return false;
    if (this.knownIds.has(event.id)) return this.waiting.has(event.id);
    this.knownIds.add(event.id);
    dropOldest(this.knownIds, MAX_KNOWN_IDS);
    this.waiting.set(event.id, { event, attempts: 0 });
    for (const id of dropOldest(this.waiting, MAX_WAITING_ALERTS)) {
      this.options.dropped?.inc();
      this.options.log.error({ eventId: id }, 'operational alert dropped');
    }
    this.wake();
    return this.waiting.has(event.id);
  }

  /** Makes one more attempt to deliver what waits, within two seconds. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.delay.interrupt();
    if (this.waiting.size > 0) this.wake();
    try {
      await withTimeout(Promise.resolve(this.running), STOP_TIMEOUT_MS);
    } catch (error) {
      if (!(error instanceof TimeoutError)) throw error;
    }
    this.abort.abort();
    await this.running;
    for (const eventId of this.waiting.keys())
      this.options.log.error({ eventId }, 'operational alert not delivered');
    await this.options.client?.close();
  }

  private wake(): void {
    this.running ??= this.deliverAll().finally(() => (this.running = undefined));
  }

  private async deliverAll(): Promise<void> {
    for (let failures = 0; this.waiting.size > 0;) {
      const retryAfterMs = await this.deliverWaiting();
      if (retryAfterMs === undefined) failures = 0;
      else {
        if (this.stopped) return;
        failures += 1;
        const { maxMs, ...backoff } = this.options.backoff ?? BACKOFF;
        const delayMs = backoffDelayMs(failures, { ...backoff, maxMs }, Math.random());
        await this.delay.wait(Math.min(Math.max(delayMs, retryAfterMs), maxMs));
      }
    }
  }

  /** Attempts each waiting alert, in order. @returns the pause that the receiver requests (0: none); undefined when no attempt failed */
  private async deliverWaiting(): Promise<number | undefined> {
    let retryAfterMs: number | undefined;
    for (const [id, entry] of this.waiting) {
      const { event } = entry;
      const message = { id, text: JSON.stringify(event), event };
      const outcome = await this.options.client?.post(message, this.abort.signal);
      if (outcome === undefined || outcome.kind === 'delivered') {
        this.waiting.delete(id);
        this.options.log.info({ eventId: id, eventType: entry.event.type }, 'operational alert posted');
        continue;
      }
      entry.attempts += 1;
      this.logFailure(id, entry.attempts, outcome);
      retryAfterMs = Math.max(retryAfterMs ?? 0, readRetryAfter(outcome));
      // A receiver that refuses one alert may accept another.
      if (!isRefusal(outcome)) break;
    }
    return retryAfterMs;
  }

  /** Attempts 1, 2, 4, 8 …: an outage of a day makes about ten lines for each alert. */
  private logFailure(eventId: string, attempt: number, outcome: DeliveryOutcome): void {
    if (!Number.isInteger(Math.log2(attempt))) return;
    const status = 'status' in outcome ? outcome.status : undefined;
    const detail = 'detail' in outcome ? outcome.detail : undefined;
    this.options.log.warn(
      { eventId, attempt, outcome: outcome.kind, status, detail },
      'operational alert post failed',
    );
  }
}

/** OPERATIONS_WEBHOOK_URL as a target of `OutgoingConnections`; none when it is not set. */
export function operationsWebhookTargets({
  OPERATIONS_WEBHOOK_URL: url,
}: {
  readonly OPERATIONS_WEBHOOK_URL?: string | undefined;
}): WebhookTarget[] {
  return url === undefined ? [] : [{ name: 'OPERATIONS_WEBHOOK_URL', url }];
}

/** Opens the webhook of the settings. The caller stops it. */
export function openOperationsWebhook(
  settings: {
    readonly OPERATIONS_WEBHOOK_URL?: string | undefined;
    readonly OPERATIONS_WEBHOOK_SECRET?: string | undefined;
  },
  log: Logger,
  connection?: ClientConnection,
  dropped?: OperationsWebhookOptions['dropped'],
): OperationsWebhook {
  const { OPERATIONS_WEBHOOK_URL: url, OPERATIONS_WEBHOOK_SECRET: secret } = settings;
  const client =
    url === undefined || secret === undefined
      ? undefined
      : new WebhookClient({
          url,
          secrets: () => [secret],
          timeoutMs: 10_000,
          responseLimitBytes: 65_536,
          connections: 1,
          connection,
        });
  return new OperationsWebhook({ client, log, dropped });
}

function isRefusal(outcome: DeliveryOutcome): boolean {
  return outcome.kind === 'rejected' && outcome.status < 500 && outcome.status !== 429;
}

function readRetryAfter(outcome: DeliveryOutcome): number {
  return outcome.kind === 'rejected' ? (outcome.retryAfterMs ?? 0) : 0;
}

/** Removes the oldest keys until at most `max` are left. @returns the removed keys */
function dropOldest<K>(collection: Set<K> | Map<K, unknown>, max: number): K[] {
  const dropped = [...collection.keys()].slice(0, Math.max(0, collection.size - max));
  for (const key of dropped) collection.delete(key);
  return dropped;
}
