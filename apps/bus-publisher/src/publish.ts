import type { GatewayClient, SendMessage } from '@ssb/bus';
import {
  signEvent,
  validateEvent,
  type DetectedEvent,
  type SchemaVerdict,
  type SignedEvent,
} from '@ssb/events';
import { NotCanonicalError, type PrivateKey } from '@ssb/identity';
import { findRoute, type OperatorConfig, type Route } from '@ssb/operator-config';
import type { Logger } from '@ssb/platform';
import type { PublishAttempt, Publisher, PublishResult } from '@ssb/queue';
import { decideOutcome, toSendFailure } from './domain/retry-policy.js';
import type { PublisherMetrics } from './publisher-metrics.js';

export interface PublishDependencies {
  readonly config: OperatorConfig;
  readonly originKey: PrivateKey;
  /** Repeating a `transactionId` publishes no second message. */
  readonly gateway: Pick<GatewayClient, 'sendMessage'>;
  readonly metrics: PublisherMetrics;
  readonly log: Logger;
}

/** Publishes one event: finds its route, signs it, validates it against its schema and sends it to the gateway. */
export class EventPublisher implements Publisher {
  constructor(private readonly dependencies: PublishDependencies) {}

  async publish({ event, attempt }: PublishAttempt): Promise<PublishResult> {
    const result = await this.tryPublish(event).catch(retryUnexpected);
    this.dependencies.metrics.attempts.inc({ type: event.type, outcome: result.outcome });
    if (result.outcome !== 'published') this.logFailure(event, attempt, result);
    return result;
  }

  private async tryPublish(event: DetectedEvent): Promise<PublishResult> {
    const { config, originKey } = this.dependencies;
    const route = findRoute(config, event.type);
    if (route === undefined) return deadLetter(`CONFIG_FILE has no route for ${event.type}`);
    const signed = trySign(event, route, originKey);
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

  private async send(event: DetectedEvent, message: SendMessage): Promise<PublishResult> {
    try {
      const { id } = await this.dependencies.gateway.sendMessage(message);
      this.recordPublished(event, message, id);
      return { outcome: 'published' };
    } catch (error) {
      const failure = toSendFailure(error);
      if (failure === undefined) throw error;
      const outcome = decideOutcome(failure);
      if (outcome !== 'published') return { outcome, reason: failure.detail };
      // The broker has the message of an earlier attempt.
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
    const sinceDetectedMs = Date.now() - Date.parse(detectedat);
    metrics.detectedToPublished.observe(Math.max(0, sinceDetectedMs) / 1_000);
    log.info(
      { step: 'published', eventId, eventType, subject, channel, topic, messageId, sinceDetectedMs },
      'event published',
    );
  }

  private logFailure(
    { id: eventId, type: eventType, subject }: DetectedEvent,
    attempt: number,
    { outcome, reason }: Exclude<PublishResult, { outcome: 'published' }>,
  ): void {
    const fields = { eventId, eventType, subject, attempt, outcome, reason };
    if (outcome === 'dead-letter') this.dependencies.log.error(fields, 'event publication refused');
    // Attempts 1, 2, 4, 8 …: an outage of a day makes about twelve lines for each event.
    else if (Number.isInteger(Math.log2(attempt)))
      this.dependencies.log.warn(fields, 'event publication failed');
  }
}

function deadLetter(reason: string): PublishResult {
  return { outcome: 'dead-letter', reason };
}

/** An unexpected error must not lose the event. The reason has only the error's name, because a message may quote the event. */
function retryUnexpected(error: unknown): PublishResult {
  const name = error instanceof Error ? error.name : typeof error;
  return { outcome: 'retry', reason: `the attempt failed with an unexpected ${name}` };
}

/** The signed event; undefined when a text has an unpaired surrogate, which RFC 8785 cannot represent. */
function trySign(event: DetectedEvent, { channel, topic }: Route, key: PrivateKey): SignedEvent | undefined {
  try {
    return signEvent(event, { channel, topic, signedAt: new Date(), key });
  } catch (error) {
    if (error instanceof NotCanonicalError) return undefined;
    throw error;
  }
}

const MAX_PROBLEMS = 10;

function describeProblems(verdict: Exclude<SchemaVerdict, { ok: true }>): string {
  return verdict.reason === 'schema' ? verdict.problems.slice(0, MAX_PROBLEMS).join('; ') : verdict.reason;
}
