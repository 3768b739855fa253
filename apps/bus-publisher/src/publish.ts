import type { SendMessage, SendMessageSuccess } from '@ssb/bus';
import {
  sealEvent,
  validateEvent,
  type DetectedEvent,
  type SchemaVerdict,
  type SealedEvent,
  type Sealing,
} from '@ssb/events';
import { NotCanonicalError, type PrivateKey } from '@ssb/identity';
import { routeOf, type OperatorConfig } from '@ssb/operator-config';
import type { Logger } from '@ssb/platform';
import type { Attempt, Handled } from '@ssb/queue';
import { outcomeOf } from './domain/retry-policy.js';
import type { PublisherMetrics } from './publisher-metrics.js';
import { sendFailureOf } from './send-failure.js';

/** Takes a message to the bus; a repeated `transactionId` is the same message. */
export interface Gateway {
  sendMessage(message: SendMessage): Promise<SendMessageSuccess>;
}

export interface PublishParts {
  readonly config: OperatorConfig;
  readonly originKey: PrivateKey;
  readonly gateway: Gateway;
  readonly metrics: PublisherMetrics;
  readonly log: Logger;
  readonly now?: () => Date;
}

/** One attempt at one event: route → seal → schema → gateway → outcome. */
export class Publish {
  private readonly now: () => Date;

  constructor(private readonly parts: PublishParts) {
    this.now = parts.now ?? (() => new Date());
  }

  async publish({ event, attempt }: Attempt): Promise<Handled> {
    const handled = await this.attempt(event).catch(unforeseen);
    this.parts.metrics.attempts.inc({ type: event.type, outcome: handled.outcome });
    if (handled.outcome !== 'delivered') this.tellTrouble(event, attempt, handled);
    return handled;
  }

  private async attempt(event: DetectedEvent): Promise<Handled> {
    const { config, originKey: key } = this.parts;
    const route = routeOf(config, event.type);
    if (route === undefined)
      return { outcome: 'dead-letter', reason: `no route for ${event.type} in the operator's file` };
    const sealed = sealable(event, { ...route, signedAt: this.now(), key });
    if (sealed === undefined)
      return {
        outcome: 'dead-letter',
        reason: 'a text of the event has no UTF-8 form, so nobody can sign it',
      };
    const valid = validateEvent(sealed);
    if (!valid.ok)
      return { outcome: 'dead-letter', reason: `the schema refuses the event: ${problemsOf(valid)}` };
    return this.send(event, {
      fqcn: route.channel,
      topic: route.topic,
      payload: JSON.stringify(sealed),
      transactionId: event.id,
    });
  }

  private async send(event: DetectedEvent, message: SendMessage): Promise<Handled> {
    try {
      const { id } = await this.parts.gateway.sendMessage(message);
      this.tellPublished(event, message, id);
      return { outcome: 'delivered' };
    } catch (error) {
      const failure = sendFailureOf(error);
      if (failure === undefined) throw error;
      const { outcome } = outcomeOf(failure);
      if (outcome !== 'delivered') return { outcome, reason: failure.detail };
      this.tellPublished(event, message, undefined);
      return { outcome };
    }
  }

  /** `messageId` is unknown when an earlier attempt had arrived and the broker only says that. */
  private tellPublished(
    event: DetectedEvent,
    { fqcn, topic }: SendMessage,
    messageId: string | undefined,
  ): void {
    const { id, type, subject, detectedat } = event;
    const sinceDetectedMs = this.now().getTime() - Date.parse(detectedat);
    this.parts.metrics.detectedToPublished.observe(Math.max(0, sinceDetectedMs) / 1_000);
    this.parts.log.info(
      {
        step: 'published',
        eventId: id,
        eventType: type,
        subject,
        channel: fqcn,
        topic,
        messageId,
        sinceDetectedMs,
      },
      'event published',
    );
  }

  private tellTrouble(
    { id, type, subject }: DetectedEvent,
    attempt: number,
    { outcome, reason }: Exclude<Handled, { outcome: 'delivered' }>,
  ): void {
    const fields = { eventId: id, eventType: type, subject, attempt, outcome, reason };
    if (outcome === 'dead-letter') this.parts.log.error(fields, `event parked as a dead letter: ${reason}`);
    // Attempts 1, 2, 4, 8 …: an outage of a day is a dozen lines for each event.
    else if (Number.isInteger(Math.log2(attempt)))
      this.parts.log.warn(fields, `event not published at attempt ${attempt}, trying on: ${reason}`);
  }
}

/** What nobody foresaw must not drop an event, and must not pass unnoticed. Only the error's kind: its message may quote the event. */
function unforeseen(error: unknown): Handled {
  const kind = error instanceof Error ? error.name : typeof error;
  return { outcome: 'retry', reason: `the attempt broke off with an unforeseen ${kind}` };
}

/** The event sealed; undefined when it holds half a surrogate pair, which JSON can carry and RFC 8785 cannot. */
function sealable(event: DetectedEvent, sealing: Sealing): SealedEvent | undefined {
  try {
    return sealEvent(event, sealing);
  } catch (error) {
    if (error instanceof NotCanonicalError) return undefined;
    throw error;
  }
}

function problemsOf(verdict: Exclude<SchemaVerdict, { ok: true }>): string {
  return verdict.reason === 'schema' ? verdict.problems.slice(0, 10).join('; ') : verdict.reason;
}
