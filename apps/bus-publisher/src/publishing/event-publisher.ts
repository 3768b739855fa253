import { createHmac } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { GatewayClient, type SendMessage } from '@ssb/bus';
import {
  findParticipantProblem,
  findRoute,
  OperatorConfigFile,
  type ConfigSource,
  type Route,
} from '@ssb/config';
import {
  signEvent,
  toUuidV4,
  validateEvent,
  type DetectedEvent,
  type SchemaVerdict,
  type SignedEvent,
} from '@ssb/events';
import { FaultReporter } from '@ssb/faults';
import { NotCanonicalError, type Did, type PrivateKey } from '@ssb/identity';
import type { KeyRing, KeySource } from '@ssb/keys';
import { AgreedClock, eventAttributes, LOGGER, startSpan, type Logger, type TraceSpan } from '@ssb/platform';
import type { PublishAttempt, Publisher, PublishResult } from '@ssb/redis-queue';
import { PublisherMetrics } from '../monitoring/publisher-metrics.js';
import { PublisherKeys, type OriginKey } from '../publisher-keys.js';
import { isHeartbeat, publishHeartbeat, type SendResult } from './heartbeat-publisher.js';
import { PublicationReports } from './publication-reports.js';
import { toSendResult } from './retry-policy.js';
import { deadLetter, notConfigured, withoutRoute } from './unroutable-event.js';

interface SigningKeys {
  originAt(time: Date): OriginKey;
  readonly transactionIds: Pick<KeySource, 'current'>;
}

/** Publishes one event: finds its route, signs it, validates it against its schema and sends it to the gateway. */
@Injectable()
export class EventPublisher implements Publisher {
  /** Identity of the key that signed last. */
  private origin: Did | undefined;

  constructor(
    @Inject(OperatorConfigFile) private readonly config: ConfigSource,
    @Inject(PublisherKeys) private readonly keys: SigningKeys,
    /** Repeating a `transactionId` publishes no second message. */
    @Inject(GatewayClient) private readonly gateway: Pick<GatewayClient, 'sendMessage'>,
    @Inject(AgreedClock) private readonly clock: Pick<AgreedClock, 'now'>,
    @Inject(FaultReporter) private readonly faults: Pick<FaultReporter, 'raise' | 'clear'>,
    private readonly reports: PublicationReports,
    private readonly metrics: PublisherMetrics,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  async publish({ event, attempt }: PublishAttempt): Promise<PublishResult> {
    const span = startSpan('event publish', {
      kind: 'client',
      parent: event.traceparent,
      attributes: { ...eventAttributes(event), attempt },
    });
    const result: SendResult = await this.tryPublish(event, span).catch(retryUnexpected);
    const isDropped = result.outcome === 'dropped' && !result.isRefused;
    if (result.outcome === 'published' || isDropped) span.succeed(result.outcome);
    else span.fail(result.outcome);
    this.metrics.countAttempt(event.type, result.outcome);
    if (result.outcome !== 'published') await this.reports.reportFailure({ event, attempt }, result);
    return result;
  }

  private async tryPublish(event: DetectedEvent, span: TraceSpan): Promise<SendResult> {
    const config = this.config.current();
    const now = this.clock.now();
    const problem = findParticipantProblem(config, event);
    if (isHeartbeat(event)) {
      const publishIfConfigured = async (route: Route): Promise<SendResult> =>
        problem === undefined ? this.publishOn(route, event, span) : notConfigured(event, problem, now);
      return publishHeartbeat(event, { config, faults: this.faults, now }, publishIfConfigured);
    }
    if (problem !== undefined) return notConfigured(event, problem, now);
    const route = findRoute(config, event.type);
    return route === undefined ? withoutRoute(event, config) : this.publishOn(route, event, span);
  }

  private async publishOn(route: Route, event: DetectedEvent, span: TraceSpan): Promise<SendResult> {
    span.add({ channel: route.channel, topic: route.topic });
    const signed = trySign(event, route, this.activeKey());
    if (signed === undefined)
      return deadLetter('the event cannot be signed: it contains text that is not valid UTF-8');
    const verdict = validateEvent(signed);
    if (!verdict.ok) return deadLetter(`the event does not match its schema: ${describeProblems(verdict)}`);
    const message = {
      fqcn: route.channel,
      topic: route.topic,
      payload: JSON.stringify(signed),
      transactionId: transactionId(event, this.keys.transactionIds.current()),
    };
    return this.send(event, message, span);
  }

  /** The key that signs now. Its identity is reported when it changes, because subscribers must trust it. */
  private activeKey(): PrivateKey {
    const { key, did } = this.keys.originAt(new Date());
    if (did !== this.origin) {
      this.log.info({ did, previous: this.origin }, 'origin key active');
      this.metrics.origin.reset();
      this.metrics.origin.set({ did }, 1);
      this.origin = did;
    }
    return key;
  }

  private async send(
    event: DetectedEvent,
    message: SendMessage,
    { headers }: TraceSpan,
  ): Promise<SendResult> {
    try {
      const { id } = await this.gateway.sendMessage(message, headers);
      this.recordPublished(event, message, id);
      return { outcome: 'published' };
    } catch (error) {
      const result = toSendResult(error, message.fqcn);
      // The broker has the message of an earlier attempt.
      if (result.outcome === 'published') this.recordPublished(event, message, undefined);
      return result;
    }
  }

  /** @param messageId unknown when the broker only reports a duplicate of an earlier attempt */
  private recordPublished(
    event: DetectedEvent,
    { fqcn: channel, topic }: SendMessage,
    messageId: string | undefined,
  ): void {
    const { id: eventId, type: eventType, subject, detectedat } = event;
    const sinceDetectedMs = Date.now() - Date.parse(detectedat);
    const fields = { eventId, eventType, subject, channel, topic, messageId, sinceDetectedMs };
    if (isHeartbeat(event)) {
      this.log.debug(fields, 'heartbeat published');
      return;
    }
    this.metrics.detectedToPublished.observe(Math.max(0, sinceDetectedMs) / 1_000);
    this.log.info({ step: 'published', ...fields }, 'event published');
  }
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

/**
 * The `transactionId` of an event's message: HMAC-SHA-256 of the event id, in the form of a version-4 UUID. Only the bridge can compute it,
 * so no other client posts under it first. For a backfilled event it covers `detectedat` too, so that the broker does not drop it as a repeat.
 */
export function transactionId(event: DetectedEvent, keys: KeyRing): string {
  const { id, time, detectedat, backfilled } = event;
  // The same in every replica and attempt: the time of the fact or, when that lies ahead, of the detection, which the job keeps.
  const keyTime = new Date(Math.min(Date.parse(time), Date.parse(detectedat)));
  const { secret } = keys.activeAt(keyTime);
  const name = backfilled === true ? `${id} ${detectedat}` : id;
  return toUuidV4(createHmac('sha256', secret).update(name).digest());
}

const MAX_PROBLEMS = 10;

function describeProblems(verdict: Exclude<SchemaVerdict, { ok: true }>): string {
  return verdict.reason === 'schema' ? verdict.problems.slice(0, MAX_PROBLEMS).join('; ') : verdict.reason;
}
