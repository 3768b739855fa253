import type { GatewayClient, SendMessage } from '@ssb/bus';
import {
  signEvent,
  validateEvent,
  type DetectedEvent,
  type SchemaVerdict,
  type SignedEvent,
  type EventSigningOptions,
} from '@ssb/events';
import { NotCanonicalError, type PrivateKey } from '@ssb/identity';
import { findRoute, type OperatorConfig } from '@ssb/operator-config';
import type { Logger } from '@ssb/platform';
import type { DeliveryAttempt, DeliveryResult } from '@ssb/queue';
import { decideOutcome, toSendFailure } from './domain/retry-policy.js';
import type { PublisherMetrics } from './publisher-metrics.js';

export interface PublishDependencies {
  readonly config: OperatorConfig;
  readonly originKey: PrivateKey;
  /** A message with a known `transactionId` is not posted twice. */
  readonly gateway: Pick<GatewayClient, 'sendMessage'>;
  readonly metrics: PublisherMetrics;
  readonly log: Logger;
  readonly now?: () => Date;
}

/** One attempt to publish one event: route → sign → validate against the schema → send to the gateway → outcome. */
export class EventPublisher {
  private readonly now: () => Date;

  constructor(private readonly dependencies: PublishDependencies) {
    this.now = dependencies.now ?? (() => new Date());
  }

  async publish({ event, attempt }: DeliveryAttempt): Promise<DeliveryResult> {
    const handled = await this.attempt(event).catch(retryUnexpected);
    this.dependencies.metrics.attempts.inc({ type: event.type, outcome: handled.outcome });
    if (handled.outcome !== 'delivered') this.logFailure(event, attempt, handled);
    return handled;
  }

  private async attempt(event: DetectedEvent): Promise<DeliveryResult> {
    const { config, originKey: key } = this.dependencies;
    const route = findRoute(config, event.type);
    if (route === undefined) return deadLetter(`CONFIG_FILE has no route for ${event.type}`);
    const signed = trySign(event, { ...route, signedAt: this.now(), key });
    if (signed === undefined)
      return deadLetter('the event cannot be signed: it contains text that is not valid UTF-8');
    const verdict = validateEvent(signed);
    if (!verdict.ok) return deadLetter(`the event does not match its schema: ${describeProblems(verdict)}`);
    return this.send(event, {
      fqcn: route.channel,
      topic: route.topic,
      payload: JSON.stringify(signed),
      transactionId: event.id,
    });
  }

  private async send(event: DetectedEvent, message: SendMessage): Promise<DeliveryResult> {
    try {
      const { id } = await this.dependencies.gateway.sendMessage(message);
      this.recordPublished(event, message, id);
      return { outcome: 'delivered' };
    } catch (error) {
      const failure = toSendFailure(error);
      if (failure === undefined) throw error;
      const { outcome } = decideOutcome(failure);
      if (outcome !== 'delivered') return { outcome, reason: failure.detail };
      this.recordPublished(event, message, undefined);
      return { outcome };
    }
  }

  /** @param messageId unknown when the broker only reports a duplicate of an earlier attempt */
  private recordPublished(
    event: DetectedEvent,
    { fqcn: channel, topic }: SendMessage,
    messageId: string | undefined,
  ): void {
    const { id: eventId, type: eventType, subject, detectedat } = event;
    const { metrics, log } = this.dependencies;
    const sinceDetectedMs = this.now().getTime() - Date.parse(detectedat);
    metrics.detectedToPublished.observe(Math.max(0, sinceDetectedMs) / 1_000);
    log.info(
      { step: 'published', eventId, eventType, subject, channel, topic, messageId, sinceDetectedMs },
      'event published',
    );
  }

  private logFailure(
    { id: eventId, type: eventType, subject }: DetectedEvent,
    attempt: number,
    { outcome, reason }: Exclude<DeliveryResult, { outcome: 'delivered' }>,
  ): void {
    const fields = { eventId, eventType, subject, attempt, outcome, reason };
    if (outcome === 'dead-letter') this.dependencies.log.error(fields, 'event moved to dead letters');
    // Attempts 1, 2, 4, 8 …: an outage of a day makes about twelve lines for each event.
    else if (Number.isInteger(Math.log2(attempt)))
      this.dependencies.log.warn(fields, 'event publication failed');
  }
}

function deadLetter(reason: string): DeliveryResult {
  return { outcome: 'dead-letter', reason };
}

/** An unexpected error must not lose the event. The reason has only the error's name, because a message may quote the event. */
function retryUnexpected(error: unknown): DeliveryResult {
  const name = error instanceof Error ? error.name : typeof error;
  return { outcome: 'retry', reason: `the attempt failed with an unexpected ${name}` };
}

/** The signed event; undefined when a text has an unpaired surrogate, which RFC 8785 cannot represent. */
function trySign(event: DetectedEvent, options: EventSigningOptions): SignedEvent | undefined {
  try {
    return signEvent(event, options);
  } catch (error) {
    if (error instanceof NotCanonicalError) return undefined;
    throw error;
  }
}

const MAX_PROBLEMS = 10;

function describeProblems(verdict: Exclude<SchemaVerdict, { ok: true }>): string {
  return verdict.reason === 'schema' ? verdict.problems.slice(0, MAX_PROBLEMS).join('; ') : verdict.reason;
}
